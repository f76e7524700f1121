// What a compiled variant is valid for: types, ranks and facts of the tensors, classes of width,
// choices. Lengths and pointers are arguments of the call.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "jit/ir/element.hpp"

namespace aisp::jit {

struct TensorFacts {
  Element element = Element::f32;
  std::vector<std::int64_t> extents;  // of which only classes are kept: width_class
  bool contiguous = true;             // neighbours along the last axis are neighbours in memory
  int alignment = 16;                 // bytes that divide the pointer and every other stride
};

struct Signature {
  std::vector<TensorFacts> tensors;             // inputs and outputs in the order of the lambda
  std::map<std::string, std::int64_t> choices;  // what `.with` sets; the rest is the rule's
};

// The extent of a tile that holds a whole axis: powers of two and one and a half times them, so
// that a program is compiled again only when its rows grow out of the class.
std::int64_t width_class(std::int64_t extent);

// Rows that are a multiple of an access end between two of them: what is asked for accesses of up
// to 4, 8 and 16 elements.
inline constexpr int step_facts = 3;
constexpr int step_of(std::int64_t vector) { return vector <= 4 ? 0 : vector <= 8 ? 1 : 2; }
constexpr std::int64_t step_length(int step) { return std::int64_t{4} << step; }

}  // namespace aisp::jit
