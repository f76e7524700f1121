// Accumulators += A B by an atom's instruction, registers as the atom's maps say. One overload per
// family: multiply(Atom{}, acc, a, b).
#pragma once

#include "tile/arch/mma.cuh"
#include "tile/atom/convert.hpp"
#include "tile/atom/mma_sm80.hpp"
#include "tile/atom/mma_volta.hpp"
#include "tile/atom/simt.hpp"

namespace aisp::tile {

template <Element element, int k, class Accumulator, int a_count, int b_count>
TILE_DEVICE void multiply(MmaSync<element, k>, Accumulator (&acc)[4],
                          const std::uint32_t (&a)[a_count], const std::uint32_t (&b)[b_count]) {
  if constexpr (element == Element::bf16 && k == 16)
    arch::mma_16x8x16_bf16(acc, a, b);
  else if constexpr (element == Element::f16 && k == 16)
    arch::mma_16x8x16_f16(acc, a, b);
  else if constexpr (element == Element::bf16)
    arch::mma_16x8x8_bf16(acc, a, b);
  else if constexpr (element == Element::f16)
    arch::mma_16x8x8_f16(acc, a, b);
  else if constexpr (element == Element::tf32)
    arch::mma_16x8x8_tf32(acc, a, b);
  else if constexpr (element == Element::s8)
    arch::mma_16x8x32_s8(acc, a, b);
  else if constexpr (element == Element::e4m3)
    arch::mma_16x8x32_e4m3(acc, a, b);
  else
    arch::mma_16x8x32_e5m2(acc, a, b);
}

TILE_DEVICE void multiply(MmaVolta, float (&acc)[8], const std::uint32_t (&a)[2],
                          const std::uint32_t (&b)[2]) {
  arch::mma_8x8x4_f16(acc, a, b);
}

namespace detail {

// Element `at` of a register, as a float.
template <Element element>
TILE_DEVICE float element_of(std::uint32_t word, int at) {
  return decode_one<element>(static_cast<Code<element>>(word >> 8 * bytes_of(element) * at));
}

template <Element element, class Accumulator>
TILE_DEVICE Accumulator dot_of_word(std::uint32_t a, std::uint32_t b, Accumulator sum) {
  if constexpr (element == Element::s8) {
    return arch::dot_4_s8(a, b, sum);
  } else {
    for (int at = 0; at < 4 / bytes_of(element); ++at)
      sum = arch::multiply_add(element_of<element>(a, at), element_of<element>(b, at), sum);
    return sum;
  }
}

}  // namespace detail

template <Element element, class Accumulator>
TILE_DEVICE void multiply(Simt<element>, Accumulator (&acc)[4], const std::uint32_t (&a)[8],
                          const std::uint32_t (&b)[8]) {
#pragma unroll
  for (int word = 0; word < 4; ++word)
#pragma unroll
    for (int i = 0; i < 4; ++i)
      acc[i] = detail::dot_of_word<element>(a[i / 2 * 4 + word], b[i % 2 * 4 + word], acc[i]);
}

}  // namespace aisp::tile
