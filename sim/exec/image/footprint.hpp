// Which texels a fetch takes, and with which weights: coordinates to addresses, as the CUDA guide's
// chapter on texture fetching has it.
#pragma once

#include <cstdint>

#include "sim/exec/image/form.hpp"

namespace aisp::sim {

// Of one lane.
struct TextureCoordinates {
  float position[3] = {};      // with float coordinates
  std::int32_t index[3] = {};  // with integer ones
  std::uint32_t layer = 0;
  float level = 0;
  float gradient[2][3] = {};
  std::int32_t offset[3] = {};
};

struct Tap {
  std::uint64_t address = 0;  // 0: the border
  double weight = 1;
};

struct TexelFootprint {
  static constexpr int most = 16;  // eight of a volume, of two levels
  Tap taps[most];
  int count = 0;
  void add(std::uint64_t address, double weight) { taps[count++] = {address, weight}; }
};

// Weights have 8 fractional bits; texels of weight 0 are left out. Point sampling gives one texel.
TexelFootprint footprint_of(const ImageObject& object, const TextureForm& form,
                            const TextureCoordinates& at);
// tld4: the four texels of a bilinear fetch, counter-clockwise from the lower left.
TexelFootprint gathered_texels(const ImageObject& object, const TextureForm& form,
                               const TextureCoordinates& at);

}  // namespace aisp::sim
