// Philox4x32-10, a counter-based generator (Salmon et al., SC 2011): value i of a stream is a pure
// function of (seed, stream, i), so inputs can be made in parallel and made again from a seed.
#pragma once

#include <array>
#include <cstdint>

namespace aisp::lab {

using Philox4 = std::array<std::uint32_t, 4>;

// The generator itself: ten rounds over a 128-bit counter under a 64-bit key.
constexpr Philox4 philox_rounds(Philox4 x, std::uint32_t key_0, std::uint32_t key_1) {
  constexpr std::uint64_t multiplier_0 = 0xD2511F53u, multiplier_1 = 0xCD9E8D57u;
  constexpr std::uint32_t weyl_0 = 0x9E3779B9u, weyl_1 = 0xBB67AE85u;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product_0 = multiplier_0 * x[0], product_1 = multiplier_1 * x[2];
    x = {static_cast<std::uint32_t>(product_1 >> 32) ^ x[1] ^ key_0,
         static_cast<std::uint32_t>(product_1),
         static_cast<std::uint32_t>(product_0 >> 32) ^ x[3] ^ key_1,
         static_cast<std::uint32_t>(product_0)};
    key_0 += weyl_0;
    key_1 += weyl_1;
  }
  return x;
}

constexpr Philox4 philox(std::uint64_t seed, std::uint32_t stream, std::uint64_t counter) {
  return philox_rounds(
      {static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), stream, 0u},
      static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
}

// Uniform in (0, 1), never an end point, with 32 random bits.
constexpr double unit_interval(std::uint32_t bits) { return (bits + 0.5) * 0x1p-32; }

}  // namespace aisp::lab
