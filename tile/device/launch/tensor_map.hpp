// Describes a matrix in global memory to TMA. The driver's function is found at run
// time: a program that links no driver still starts where there is none.
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>

#include <cstdint>

#include "tile/device/launch/check_cuda.hpp"
#include "tile/tiled/operand_tile.hpp"

namespace aisp::tile::device {

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
    case Element::e2m1:  // 16 elements get 16 bytes of shared memory
      return CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B;
    case Element::e2m3:
    case Element::e3m2:
      return CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B;
    default:
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  }
}

inline CUtensorMapSwizzle map_swizzle(SwizzleMode swizzle) {
  switch (swizzle) {
    case SwizzleMode::bytes_128:
      return CU_TENSOR_MAP_SWIZZLE_128B;
    case SwizzleMode::bytes_64:
      return CU_TENSOR_MAP_SWIZZLE_64B;
    case SwizzleMode::bytes_32:
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

// A tensor of up to five indices, the contiguous one first; strides count bytes and leave that one
// out.
struct TensorInMemory {
  Element element = Element::bf16;
  const void* data = nullptr;
  int rank = 0;
  cuuint64_t extent[5], stride[4];
  cuuint32_t box[5];
  SwizzleMode swizzle = SwizzleMode::bytes_128;
};

inline CUresult encode_map(const TensorInMemory& tensor, CUtensorMap& map) {
  static const auto encode = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    check_cuda(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                                cudaEnableDefault, &found),
               "cuTensorMapEncodeTiled");
    return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function);
  }();
  const cuuint32_t every[] = {1, 1, 1, 1, 1};
  return encode(&map, map_type(tensor.element), static_cast<cuuint32_t>(tensor.rank),
                const_cast<void*>(tensor.data), tensor.extent, tensor.stride, tensor.box, every,
                CU_TENSOR_MAP_INTERLEAVE_NONE, map_swizzle(tensor.swizzle),
                CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

// Boxes of tile.panel_width() x `lines`, swizzled as the tile in shared memory.
inline CUtensorMap describe(const MatrixInMemory& matrix, const OperandTile& tile, int lines) {
  const auto bits = static_cast<cuuint64_t>(bits_of(tile.element));
  const auto u64 = [](std::int64_t value) { return static_cast<cuuint64_t>(value); };
  // A single matrix has no batch stride of its own; TMA wants one that is not 0.
  const std::int64_t batch_stride =
      matrix.batch > 1 ? matrix.batch_stride : matrix.lines * matrix.line_stride;
  CUtensorMap map;
  const CUresult result = encode_map(
      {.element = tile.element,
       .data = matrix.data,
       .rank = 3,
       .extent = {u64(matrix.contiguous), u64(matrix.lines), u64(matrix.batch)},
       .stride = {u64(matrix.line_stride) * bits / 8, u64(batch_stride) * bits / 8},
       .box = {static_cast<cuuint32_t>(tile.panel_width()), static_cast<cuuint32_t>(lines), 1},
       .swizzle = tile.swizzle},
      map);
  if (result != CUDA_SUCCESS)
    base::refuse(base::Exit::usage, "no tensor map for ", matrix.batch, " x ", matrix.lines, " x ",
                 matrix.contiguous, " elements of ", name_of(tile.element), " with lines ",
                 matrix.line_stride, " apart (CUresult ", static_cast<int>(result),
                 "): lines and batches must be multiples of 16 bytes, the address aligned to 16");
  return map;
}
// A box with all lines of the tile.
inline CUtensorMap describe(const MatrixInMemory& matrix, const OperandTile& tile) {
  return describe(matrix, tile, tile.lines());
}

}  // namespace aisp::tile::device
