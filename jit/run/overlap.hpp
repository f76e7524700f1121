// Whether tensors share memory, element by element: two halves of one buffer do not, whatever lies
// between their rows.
#pragma once

#include "jit/run/tensor.hpp"

namespace aisp::jit {

// First and behind the last byte.
struct ByteRange {
  std::uintptr_t begin, end;
};
ByteRange bytes_of(const Tensor& tensor);

inline bool meet(const ByteRange& a, const ByteRange& b) {
  return a.begin < b.end && b.begin < a.end;
}

// Exact for all that is laid out in rows; layouts that would take long to look through count as
// overlapping.
bool overlap(const Tensor& a, const Tensor& b);

// Several elements in one place.
bool overlaps_itself(const Tensor& tensor);

// The same elements in the same order.
bool same_place(const Tensor& a, const Tensor& b);

}  // namespace aisp::jit
