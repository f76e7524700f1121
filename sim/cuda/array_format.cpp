#include "sim/cuda/array_format.hpp"

namespace aisp::sim::driver {
namespace {

struct Element {
  CUarray_format format;
  cudaChannelFormatKind kind;
  int bits;
};
constexpr Element elements[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, cudaChannelFormatKindUnsigned, 8},
    {CU_AD_FORMAT_UNSIGNED_INT16, cudaChannelFormatKindUnsigned, 16},
    {CU_AD_FORMAT_UNSIGNED_INT32, cudaChannelFormatKindUnsigned, 32},
    {CU_AD_FORMAT_SIGNED_INT8, cudaChannelFormatKindSigned, 8},
    {CU_AD_FORMAT_SIGNED_INT16, cudaChannelFormatKindSigned, 16},
    {CU_AD_FORMAT_SIGNED_INT32, cudaChannelFormatKindSigned, 32},
    {CU_AD_FORMAT_HALF, cudaChannelFormatKindFloat, 16},
    {CU_AD_FORMAT_FLOAT, cudaChannelFormatKindFloat, 32},
};

[[noreturn]] void refuse_format() {
  Runtime::get().note_once(
      "arrays have elements of 1, 2 or 4 integers of 8, 16 or 32 bits or numbers of 16 or 32; "
      "planes and compressed blocks are not supported by the simulator");
  throw DriverError{CUDA_ERROR_NOT_SUPPORTED};
}

}  // namespace

cudaChannelFormatDesc channels_of(const ArrayFormat& asked) {
  demand(asked.channels == 1 || asked.channels == 2 || asked.channels == 4);
  for (const Element& element : elements)
    if (element.format == asked.format) {
      const auto bits = [&](unsigned channel) {
        return channel < asked.channels ? element.bits : 0;
      };
      return {bits(0), bits(1), bits(2), bits(3), element.kind};
    }
  refuse_format();
}

ArrayFormat format_of(const cudaChannelFormatDesc& channels) {
  for (const Element& element : elements)
    if (element.kind == channels.f && element.bits == channels.x)
      return {element.format, 1u + (channels.y != 0 ? 1u : 0u) + (channels.z != 0 ? 1u : 0u) +
                                  (channels.w != 0 ? 1u : 0u)};
  refuse_format();
}

std::size_t texel_bytes(const cudaChannelFormatDesc& channels) {
  return static_cast<std::size_t>(channels.x + channels.y + channels.z + channels.w) / 8;
}

std::size_t texel_bytes(CUarray array) {
  cudaChannelFormatDesc channels{};
  demand(cudaGetChannelDesc(&channels, own(array)));
  return texel_bytes(channels);
}

bool is_small_integer(const cudaChannelFormatDesc& channels) {
  return channels.f != cudaChannelFormatKindFloat && channels.x < 32;
}

}  // namespace aisp::sim::driver
