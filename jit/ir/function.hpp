// A traced program: one block's view of the work, as values in SSA form with nested regions.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "jit/ir/opcode.hpp"
#include "jit/ir/type.hpp"

namespace aisp::jit {

// Where in the user's file something was written; no path, so that a program is the same
// everywhere.
struct Place {
  std::string file;
  int line = 0;
  std::string text() const;  // "softmax.cpp:14", or nothing
};

// What tells constants apart: -0.0 == 0.0 although 1/x differs, and NaN == NaN never holds.
inline std::uint64_t bits_of(double number) { return std::bit_cast<std::uint64_t>(number); }

struct Attributes {
  std::vector<std::int64_t> integers;  // parameter, axes, extents, candidates: infer.cpp says which
  double number = 0.0;                 // of a constant
  Element element = Element::f32;      // of a constant, iota, `to`, and of a load
  Reduction reduction = Reduction::sum;
  std::string name;  // of a choice
  friend bool operator==(const Attributes& a, const Attributes& b) {
    return a.integers == b.integers && bits_of(a.number) == bits_of(b.number) &&
           a.element == b.element && a.reduction == b.reduction && a.name == b.name;
  }
};

struct Region;

struct Operation {
  Opcode code = Opcode::constant;
  std::vector<Id> operands, results;
  Attributes attributes;
  std::vector<Region> regions;
  Place place;
};

struct Region {
  std::vector<Id> arguments;
  std::vector<Operation> body;  // of a nested region: ends in yield
};

struct Value {
  Type type;
  Affine affine;     // of an index
  std::string name;  // the user's, or nothing
};

// A tensor or an array of the program's call.
struct Parameter {
  enum class Role { input, output, array };
  Role role = Role::input;
  std::string name;
  Element element = Element::f32;
  int rank = 1;
};

struct Function {
  std::string name;
  Place place;  // where the program was made
  std::vector<Parameter> parameters;
  std::vector<Value> values;
  Region body;

  Id add_value(Type type, std::string name = {});
  const Type& type(Id id) const { return values[id].type; }
};

// Every operation, those of nested regions after the one that holds them.
template <class F>
void for_each(const Region& region, F&& f) {
  for (const Operation& operation : region.body) {
    f(operation);
    for (const Region& inner : operation.regions) for_each(inner, f);
  }
}
template <class F>
void for_each(Region& region, F&& f) {
  for (Operation& operation : region.body) {
    f(operation);
    for (Region& inner : operation.regions) for_each(inner, f);
  }
}

}  // namespace aisp::jit
