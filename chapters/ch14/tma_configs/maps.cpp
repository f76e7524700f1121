#include "chapters/ch14/tma_configs/maps.hpp"

#include <algorithm>

#include "tile/device/launch/tensor_map.hpp"

namespace aisp::ch14 {
namespace {

using tile::device::TensorInMemory;

void set_extents(TensorInMemory& tensor, std::int64_t inner,
                 const std::vector<std::int64_t>& others) {
  tensor.rank = 1 + static_cast<int>(others.size());
  tensor.extent[0] = static_cast<cuuint64_t>(inner);
  cuuint64_t stride = tensor.extent[0] * element_bytes;
  for (std::size_t i = 0; i < others.size(); ++i) {
    tensor.stride[i] = stride;
    tensor.extent[i + 1] = static_cast<cuuint64_t>(others[i]);
    stride *= tensor.extent[i + 1];
  }
}

// The tensor as the map's rank sees it, with its box.
TensorInMemory tiled(const CopyConfig& config, const CopyShape& shape, int rank) {
  TensorInMemory tensor{};
  tensor.element = tile::Element::s32;
  tensor.swizzle = static_cast<tile::SwizzleMode>(config.swizzle);
  const std::int64_t words = shape.line / element_bytes;
  tensor.box[0] = static_cast<cuuint32_t>(config.width / element_bytes);
  if (rank == 1) {
    set_extents(tensor, words * shape.lines, {});
    return tensor;
  }
  set_extents(tensor, words, spread(shape.lines, rank - 1));
  const auto rows = spread(config.rows, rank - 1);
  for (std::size_t i = 0; i < rows.size(); ++i)
    tensor.box[i + 1] = static_cast<cuuint32_t>(rows[i]);
  return tensor;
}

[[noreturn]] void refuse_map(const CopyConfig& config, const CopyShape& shape, CUresult result) {
  base::refuse(base::Exit::usage, "tma_configs: no tensor map of rank ", config.rank, " for ",
               shape.lines, " lines of ", shape.line, " bytes in boxes of ", config.rows, " x ",
               config.width, " (CUresult ", static_cast<int>(result), ")");
}

// Images of lines as pixels. The walk begins one before the image and ends one before its end, as
// the first tap of a filter of three with a padding of one does.
CUresult encode_pixels(const CopyConfig& config, TensorInMemory& tensor, CUtensorMap& map) {
  static const auto encode = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    tile::device::check_cuda(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &function,
                                                              12000, cudaEnableDefault, &found),
                             "cuTensorMapEncodeIm2col");
    return reinterpret_cast<PFN_cuTensorMapEncodeIm2col_v12000>(function);
  }();
  const int corner[] = {-1, -1, -1};
  const cuuint32_t every[] = {1, 1, 1, 1, 1};
  return encode(&map, tile::device::map_type(tensor.element), static_cast<cuuint32_t>(tensor.rank),
                const_cast<void*>(tensor.data), tensor.extent, tensor.stride, corner, corner,
                static_cast<cuuint32_t>(config.width / element_bytes),
                static_cast<cuuint32_t>(config.rows), every, CU_TENSOR_MAP_INTERLEAVE_NONE,
                tile::device::map_swizzle(tensor.swizzle), CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

}  // namespace

CopyMaps copy_maps(const CopyConfig& config, const CopyShape& shape, const void* from, void* to) {
  const bool walks = config.mode == BoxMode::im2col;
  // Pixels are stored as lines of a matrix.
  TensorInMemory target = tiled(config, shape, walks ? 2 : config.rank);
  TensorInMemory source = target;
  if (walks) set_extents(source, shape.line / element_bytes, spread(shape.lines, config.rank - 1));
  source.data = from;
  target.data = to;
  CopyMaps maps;
  CUresult result = walks ? encode_pixels(config, source, maps.from)
                          : tile::device::encode_map(source, maps.from);
  if (result == CUDA_SUCCESS) result = tile::device::encode_map(target, maps.to);
  if (result != CUDA_SUCCESS) refuse_map(config, shape, result);
  maps.grid.rank = target.rank;
  for (int i = 0; i < target.rank; ++i) {
    maps.grid.box[i] = static_cast<int>(target.box[i]);
    maps.grid.boxes[i] = static_cast<int>((target.extent[i] + target.box[i] - 1) / target.box[i]);
  }
  for (int i = 0; walks && i < source.rank - 2; ++i)
    maps.pixels[i] = static_cast<int>(source.extent[i + 1]);
  return maps;
}

}  // namespace aisp::ch14
