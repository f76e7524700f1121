// Sixteen elements of 4 or 6 bits that take 16 bytes with their padding, as 16 bytes.
#pragma once

#include <cstdint>
#include <cstring>

namespace aisp::sim {

enum class Packed : std::uint8_t {
  none,
  b4x16_p64,  // 8 bytes, the low half of each first, and 8 of padding
  b6x16_p32,  // 12 bytes, from the lowest bit on, and 4 of padding
};

// Element `at` of the sixteen, as it stands: 4 or 6 bits.
constexpr std::uint32_t packed_element(Packed packed, const std::uint8_t* bytes, int at) {
  if (packed == Packed::b4x16_p64) return bytes[at / 2] >> at % 2 * 4 & 15u;
  const int bit = 6 * at;
  const std::uint32_t pair = bytes[bit / 8] | static_cast<std::uint32_t>(bytes[bit / 8 + 1]) << 8;
  return pair >> bit % 8 & 63;
}

// A byte of tensor memory holds 4 bits in its bits 2-5 and 6 bits in its low ones.
constexpr int container_shift(Packed packed) { return packed == Packed::b4x16_p64 ? 2 : 0; }

inline void decompress(Packed packed, std::uint32_t (&words)[4]) {
  if (packed == Packed::none) return;
  std::uint8_t from[16], to[16];
  std::memcpy(from, words, sizeof from);
  for (int i = 0; i < 16; ++i)
    to[i] = static_cast<std::uint8_t>(packed_element(packed, from, i) << container_shift(packed));
  std::memcpy(words, to, sizeof to);
}

}  // namespace aisp::sim
