// How the driver and the runtime name the elements of arrays.
#pragma once

#include "sim/cuda/driver.hpp"

namespace aisp::sim::driver {

// Handles are the runtime's.
inline cudaArray_t own(CUarray array) { return reinterpret_cast<cudaArray_t>(array); }
inline cudaMipmappedArray_t own(CUmipmappedArray array) {
  return reinterpret_cast<cudaMipmappedArray_t>(array);
}

struct ArrayFormat {
  CUarray_format format{};
  unsigned channels = 0;
};

// Throws where the runtime has no such element (several planes, compressed blocks).
cudaChannelFormatDesc channels_of(const ArrayFormat& format);
ArrayFormat format_of(const cudaChannelFormatDesc& channels);

std::size_t texel_bytes(const cudaChannelFormatDesc& channels);
std::size_t texel_bytes(CUarray array);

// Without CU_TRSF_READ_AS_INTEGER these are read as numbers between 0 or -1 and 1.
bool is_small_integer(const cudaChannelFormatDesc& channels);

}  // namespace aisp::sim::driver
