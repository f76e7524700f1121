// A row held in the registers of one block: four 16-byte vectors per thread, read once.
// Vector j of a thread is number threadIdx.x + j * blockDim.x of the row, so warps stay coalesced.
#pragma once

#include <cuda_runtime.h>

#include "chapters/ch09/common/geometry.hpp"
#include "chapters/ch09/common/vector16.cuh"

namespace aisp::ch09 {

struct RowPart {
  uint4 at[vectors_per_thread];
};

__device__ __forceinline__ int row_vector(int j) {
  return static_cast<int>(threadIdx.x) + j * static_cast<int>(blockDim.x);
}

// All loads are issued before the first is used; beyond the row the part is zero.
__device__ __forceinline__ RowPart load_row(const uint4* row, int vectors) {
  RowPart part;
#pragma unroll
  for (int j = 0; j < vectors_per_thread; ++j)
    part.at[j] = row_vector(j) < vectors ? row[row_vector(j)] : uint4{0, 0, 0, 0};
  return part;
}

// value(j, v): the uint4 to store as vector v of the row, the thread's j-th.
template <class Value>
__device__ __forceinline__ void store_row(uint4* row, int vectors, Value value) {
#pragma unroll
  for (int j = 0; j < vectors_per_thread; ++j)
    if (row_vector(j) < vectors) row[row_vector(j)] = value(j, row_vector(j));
}

}  // namespace aisp::ch09
