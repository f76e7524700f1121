// Describes a matrix in global memory to the copy engine. The driver's function is found at run
// time: a program that links no driver still starts where there is none.
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include <cstdint>

#include "base/refuse.hpp"
#include "tile/tiled/operand_tile.hpp"

namespace tile::device {

inline void check_cuda(cudaError_t error, const char* what) {
  if (error != cudaSuccess)
    base::refuse(base::Exit::environment, what, ": ", cudaGetErrorString(error));
}

inline CUtensorMapDataType map_type(Element element) {
  switch (element) {
    case Element::bf16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case Element::f16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case Element::tf32:
    case Element::f32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case Element::s32:
      return CU_TENSOR_MAP_DATA_TYPE_INT32;
    default:
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  }
}

inline CUtensorMapSwizzle map_swizzle(BoxSwizzle swizzle) {
  switch (swizzle) {
    case BoxSwizzle::bytes_128:
      return CU_TENSOR_MAP_SWIZZLE_128B;
    case BoxSwizzle::bytes_64:
      return CU_TENSOR_MAP_SWIZZLE_64B;
    case BoxSwizzle::bytes_32:
      return CU_TENSOR_MAP_SWIZZLE_32B;
    default:
      return CU_TENSOR_MAP_SWIZZLE_NONE;
  }
}

// A batch of matrices in global memory, seen along the contiguous index first.
struct MatrixInMemory {
  const void* data = nullptr;
  std::int64_t contiguous = 0, lines = 0, batch = 1;  // extents
  std::int64_t line_stride = 0, batch_stride = 0;     // in elements
};

// Boxes of tile.box_width() x `lines`, swizzled as the tile in shared memory.
inline CUtensorMap describe(const MatrixInMemory& matrix, const OperandTile& tile, int lines) {
  static const auto encode = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    check_cuda(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                                cudaEnableDefault, &found),
               "cuTensorMapEncodeTiled");
    return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function);
  }();
  const auto width = static_cast<cuuint64_t>(bytes_of(tile.element));
  const auto u64 = [](std::int64_t value) { return static_cast<cuuint64_t>(value); };
  const cuuint64_t extent[] = {u64(matrix.contiguous), u64(matrix.lines), u64(matrix.batch)};
  // A single matrix has no batch stride of its own; the copy engine wants one that is not 0.
  const std::int64_t batch_stride =
      matrix.batch > 1 ? matrix.batch_stride : matrix.lines * matrix.line_stride;
  const cuuint64_t stride[] = {u64(matrix.line_stride) * width, u64(batch_stride) * width};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(tile.box_width()),
                            static_cast<cuuint32_t>(lines), 1};
  const cuuint32_t every[] = {1, 1, 1};
  CUtensorMap map;
  const CUresult result =
      encode(&map, map_type(tile.element), 3, const_cast<void*>(matrix.data), extent, stride, box,
             every, CU_TENSOR_MAP_INTERLEAVE_NONE, map_swizzle(tile.swizzle),
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    base::refuse(base::Exit::usage, "no tensor map for ", matrix.batch, " x ", matrix.lines, " x ",
                 matrix.contiguous, " elements of ", name_of(tile.element), " with lines ",
                 matrix.line_stride, " apart (CUresult ", static_cast<int>(result),
                 "): lines and batches must be multiples of 16 bytes, the address aligned to 16");
  return map;
}

}  // namespace tile::device
