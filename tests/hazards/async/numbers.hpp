// Inputs that tell every element from every other, and a tensor map over them.
#pragma once

#include <cuda.h>

#include "tests/hazards/hazard.hpp"

namespace hazard {

__host__ __device__ constexpr int number(int i) { return 3 * i + 1; }

inline std::vector<int> numbers(int count) {
  std::vector<int> values(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = number(i);
  return values;
}

// `count` numbers in boxes of `box`.
inline CUtensorMap map_of(int* memory, int count, int box) {
  using Encode =
      CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                   const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                   CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
  void* found = nullptr;
  cudaDriverEntryPointQueryResult answer{};
  require(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000,
                                           cudaEnableDefault, &answer),
          "cuTensorMapEncodeTiled");
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(count)}, pitch[] = {0};
  const cuuint32_t boxes[] = {static_cast<cuuint32_t>(box)}, strides[] = {1};
  CUtensorMap map{};
  const CUresult result = reinterpret_cast<Encode>(found)(
      &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 1, memory, sizes, pitch, boxes, strides,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) std::exit((std::fprintf(stderr, "no tensor map\n"), 1));
  return map;
}

}  // namespace hazard
