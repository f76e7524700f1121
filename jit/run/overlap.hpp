// Whether tensors share memory, element by element: two halves of one buffer do not, whatever lies
// between their rows.
#pragma once

#include <span>

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

// Elements of so many bytes, at strides that count elements: a tensor of any rank.
struct StridedBytes {
  std::uintptr_t first;
  std::int64_t width;
  std::span<const std::int64_t> extents, strides;
};
StridedBytes strided(const Tensor& tensor);

// Exact for all that is laid out in rows; layouts that would take long to look through count as
// overlapping.
bool overlap(const StridedBytes& a, const StridedBytes& b);
inline bool overlap(const Tensor& a, const Tensor& b) { return overlap(strided(a), strided(b)); }

// Several elements in one place.
bool overlaps_itself(const StridedBytes& tensor);
inline bool overlaps_itself(const Tensor& tensor) { return overlaps_itself(strided(tensor)); }

// The same elements in the same order.
bool same_place(const Tensor& a, const Tensor& b);

}  // namespace aisp::jit
