// Tensor maps of row-major matrices in boxes with rows of 128 bytes.
#pragma once

#include <cuda.h>

#include "../check.hpp"

using EncodeTiled = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*,
                                 const cuuint64_t*, const cuuint64_t*, const cuuint32_t*,
                                 const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                                 CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

inline EncodeTiled find_encode_tiled() {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult answer{};
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault,
                                         &answer));
  expect(found != nullptr && answer == cudaDriverEntryPointSuccess, "cuTensorMapEncodeTiled");
  return reinterpret_cast<EncodeTiled>(found);
}

inline CUtensorMap map_of_rows(CUtensorMapDataType type, int element_bytes, void* matrix, int rows,
                               int columns, int box_rows) {
  static const EncodeTiled encode = find_encode_tiled();
  const cuuint64_t sizes[] = {cuuint64_t(columns), cuuint64_t(rows)};
  const cuuint64_t pitch[] = {cuuint64_t(columns) * element_bytes};
  const cuuint32_t box[] = {cuuint32_t(128 / element_bytes), cuuint32_t(box_rows)};
  const cuuint32_t strides[] = {1, 1};
  CUtensorMap map;
  expect(encode(&map, type, 2, matrix, sizes, pitch, box, strides, CU_TENSOR_MAP_INTERLEAVE_NONE,
                CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS,
         "a tensor map of the matrix");
  return map;
}
