// sums += A B by an atom's instruction, registers as the atom's maps say. One overload per family:
// multiply(Atom{}, sums, a, b).
#pragma once

#include "tile/arch/mma.cuh"
#include "tile/atom/convert.hpp"
#include "tile/atom/mma_sm80.hpp"
#include "tile/atom/mma_volta.hpp"
#include "tile/atom/simt.hpp"

namespace tile {

template <Element element, int k, class Sum, int a_count, int b_count>
TILE_DEVICE void multiply(MmaSync<element, k>, Sum (&sums)[4], const std::uint32_t (&a)[a_count],
                          const std::uint32_t (&b)[b_count]) {
  if constexpr (element == Element::bf16 && k == 16)
    arch::mma_16x8x16_bf16(sums, a, b);
  else if constexpr (element == Element::f16 && k == 16)
    arch::mma_16x8x16_f16(sums, a, b);
  else if constexpr (element == Element::bf16)
    arch::mma_16x8x8_bf16(sums, a, b);
  else if constexpr (element == Element::f16)
    arch::mma_16x8x8_f16(sums, a, b);
  else if constexpr (element == Element::tf32)
    arch::mma_16x8x8_tf32(sums, a, b);
  else if constexpr (element == Element::s8)
    arch::mma_16x8x32_s8(sums, a, b);
  else if constexpr (element == Element::e4m3)
    arch::mma_16x8x32_e4m3(sums, a, b);
  else
    arch::mma_16x8x32_e5m2(sums, a, b);
}

TILE_DEVICE void multiply(MmaVolta, float (&sums)[8], const std::uint32_t (&a)[2],
                          const std::uint32_t (&b)[2]) {
  arch::mma_8x8x4_f16(sums, a, b);
}

namespace detail {

// Element `at` of a register, as a float.
template <Element element>
TILE_DEVICE float part_of(std::uint32_t word, int at) {
  return decode_one<element>(static_cast<Code<element>>(word >> 8 * bytes_of(element) * at));
}

template <Element element, class Sum>
TILE_DEVICE Sum dot_of_word(std::uint32_t a, std::uint32_t b, Sum sum) {
  if constexpr (element == Element::s8) {
    return arch::dot_4_s8(a, b, sum);
  } else {
    for (int at = 0; at < 4 / bytes_of(element); ++at)
      sum = arch::multiply_add(part_of<element>(a, at), part_of<element>(b, at), sum);
    return sum;
  }
}

}  // namespace detail

template <Element element, class Sum>
TILE_DEVICE void multiply(Simt<element>, Sum (&sums)[4], const std::uint32_t (&a)[8],
                          const std::uint32_t (&b)[8]) {
#pragma unroll
  for (int word = 0; word < 4; ++word)
#pragma unroll
    for (int i = 0; i < 4; ++i)
      sums[i] = detail::dot_of_word<element>(a[i / 2 * 4 + word], b[i % 2 * 4 + word], sums[i]);
}

}  // namespace tile
