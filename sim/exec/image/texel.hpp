// Texels as registers see them: decoded from memory, filtered, and encoded again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/machine/image.hpp"

namespace aisp::sim {

struct Texel {
  std::uint32_t channel[4];  // bits: integers of 32 bits, or f32
};

// Channels that the format does not have are 0.
Texel decode_texel(const std::byte* at, const TexelFormat& format, const Sampler& sampler);
// What a fetch beside the image gives.
Texel border_texel(const TexelFormat& format, const Sampler& sampler);

// sust.p: values of 32 bits as the format has them, f32 for floats and fractions.
void encode_texel(std::byte* to, const std::uint32_t* values, int count, const TexelFormat& format);

std::uint16_t half_of(std::uint32_t f32);

}  // namespace aisp::sim
