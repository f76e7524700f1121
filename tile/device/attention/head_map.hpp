// Describes queries, keys, values and results of attention to TMA: four indices, head
// element, row, head and sequence (or page).
#pragma once

#include "tile/device/attention/problem.hpp"
#include "tile/device/launch/tensor_map.hpp"

namespace aisp::tile::device {

struct HeadExtents {
  std::int64_t head_size, rows, heads, batch;
};

// Boxes of `columns` x `rows` of one head, swizzled as they lie in shared memory.
inline CUtensorMap describe_heads(const HeadTensor& tensor, const HeadExtents& extent, int columns,
                                  int rows, SwizzleMode swizzle) {
  const auto u64 = [](std::int64_t value) { return static_cast<cuuint64_t>(value); };
  const auto bytes = [&](std::int64_t elements) {
    return u64(elements) * static_cast<cuuint64_t>(bytes_of(tensor.element));
  };
  // An index with one value needs no stride, but TMA wants one that it can take.
  const std::int64_t head = extent.heads > 1 ? tensor.head_stride : extent.head_size;
  const std::int64_t batch = extent.batch > 1 ? tensor.batch_stride : extent.head_size;
  CUtensorMap map;
  const CUresult result = encode_map(
      {.element = tensor.element,
       .data = tensor.data,
       .rank = 4,
       .extent = {u64(extent.head_size), u64(extent.rows), u64(extent.heads), u64(extent.batch)},
       .stride = {bytes(tensor.row_stride), bytes(head), bytes(batch)},
       .box = {static_cast<cuuint32_t>(columns), static_cast<cuuint32_t>(rows), 1, 1},
       .swizzle = swizzle},
      map);
  if (result != CUDA_SUCCESS)
    base::refuse(base::Exit::usage, "no tensor map for (", extent.batch, ", ", extent.heads, ", ",
                 extent.rows, ", ", extent.head_size, ") of ", name_of(tensor.element),
                 " with strides ", tensor.batch_stride, ", ", tensor.head_stride, ", ",
                 tensor.row_stride, " (CUresult ", static_cast<int>(result),
                 "): strides must be multiples of 16 bytes, the address aligned to 16");
  return map;
}

}  // namespace aisp::tile::device
