// CUDA arrays, with and without mipmaps: images in memory of their own that copies and kernels
// reach. All functions throw ApiError.
#pragma once

#include <memory>
#include <vector>

#include "sim/machine/image.hpp"
#include "sim/runtime/state/cuda.hpp"

namespace aisp::sim {

struct ArrayObject {
  cudaChannelFormatDesc desc{};
  cudaExtent extent{};  // as asked for: 0 where there is no such dimension
  unsigned flags = 0;
  int device = 0;
  void* memory = nullptr;
  TexelImage image;       // one level
  bool is_level = false;  // of a mipmapped array, which owns the memory

  const ImageLevel& level() const { return image.levels.front(); }
  std::size_t row_bytes() const { return std::size_t{level().width} * image.format.bytes(); }
};

struct MipmappedArrayObject {
  ArrayObject whole;  // its image has all levels
  std::vector<std::unique_ptr<ArrayObject>> levels;
};

// cudaErrorInvalidChannelDescriptor for what no texture can hold.
TexelFormat format_of(const cudaChannelFormatDesc& desc);

cudaArray_t make_array(const cudaChannelFormatDesc& desc, const cudaExtent& extent, unsigned flags);
cudaMipmappedArray_t make_mipmapped_array(const cudaChannelFormatDesc& desc,
                                          const cudaExtent& extent, unsigned levels,
                                          unsigned flags);
const ArrayObject& array_of(cudaArray_const_t array);
const MipmappedArrayObject& mipmapped_array_of(cudaMipmappedArray_const_t array);
// Work that uses it has been waited for.
void release_array(cudaArray_t array);
void release_array(cudaMipmappedArray_t array);
// Of a device that is being reset; their memory goes too.
void forget_arrays_of(int device);

std::size_t most_linear_texels(const cudaChannelFormatDesc& desc, int device);

}  // namespace aisp::sim
