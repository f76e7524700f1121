// Elements as codes in memory and as numbers in registers, two neighbours at a time, on the device
// by one instruction where there is one and on the host by base/number. Both round to nearest even;
// fp8 and the integers saturate, bf16 and f16 go to infinity. NaN stays NaN, as an integer it is 0.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "base/number/format.hpp"
#include "tile/atom/element.hpp"
#ifdef __CUDACC__
#include "tile/arch/convert.cuh"
#endif

namespace aisp::tile {

// The bits of one element, and of two with the first in the low half, as they lie in memory.
template <Element element>
using Code =
    std::conditional_t<bytes_of(element) == 1, std::uint8_t,
                       std::conditional_t<bytes_of(element) == 2, std::uint16_t, std::uint32_t>>;
template <Element element>
using PairCode =
    std::conditional_t<bytes_of(element) == 1, std::uint16_t,
                       std::conditional_t<bytes_of(element) == 2, std::uint32_t, std::uint64_t>>;

template <class V>
struct Pair {
  V first{}, second{};
};

template <Element element>
TILE_FN PairCode<element> join(Code<element> first, Code<element> second) {
  return static_cast<PairCode<element>>(first | PairCode<element>{second} << 8 * bytes_of(element));
}

// tf32 is what the matrix unit makes of f32 as it reads: there is nothing to store in that format.
template <Element element>
struct StorableElement {
  static constexpr bool value = element != Element::tf32;
  static_assert(
      value,
      "accumulators convert to bf16, f16, e4m3, e5m2, s8, s32 and f32; store f32 where tf32 is "
      "read: the matrix unit drops the low bits itself");
};

namespace detail {

template <Element element>
constexpr base::Format format_of() {
  if constexpr (element == Element::bf16) return base::bf16;
  if constexpr (element == Element::f16) return base::f16;
  if constexpr (element == Element::e4m3) return base::e4m3;
  if constexpr (element == Element::e5m2) return base::e5m2;
  return base::f32;
}

TILE_FN std::int32_t saturate_s8(std::int32_t value) {
  return value < -128 ? -128 : value > 127 ? 127 : value;
}

template <class V>  // a template, so that constexpr may call what is none
TILE_FN std::int32_t round_to_s32(V value) {
  if constexpr (std::is_same_v<V, std::int32_t>) {
    return value;
  } else {
#ifdef __CUDA_ARCH__
    return arch::round_to_s32(value);
#else
    if (!(value == value)) return 0;
    if (value >= 0x1p31f) return INT32_MAX;
    return value <= -0x1p31f ? INT32_MIN : static_cast<std::int32_t>(std::nearbyint(value));
#endif
  }
}

template <Element element>
TILE_FN PairCode<element> encode_floats(float first, float second) {
#ifdef __CUDA_ARCH__
  if constexpr (element == Element::bf16) return arch::pack_bf16(first, second);
  if constexpr (element == Element::f16) return arch::pack_f16(first, second);
  if constexpr (element == Element::e4m3) return arch::pack_e4m3(first, second);
  if constexpr (element == Element::e5m2) return arch::pack_e5m2(first, second);
#else
  using One = Code<element>;
  return join<element>(static_cast<One>(base::encode<format_of<element>()>(first)),
                       static_cast<One>(base::encode<format_of<element>()>(second)));
#endif
}

}  // namespace detail

// V is float or std::int32_t.
template <Element element, class V>
TILE_FN PairCode<element> encode_pair(V first, V second) {
  using One = Code<element>;
  if constexpr (!StorableElement<element>::value)
    return {};
  else if constexpr (element == Element::f32)
    return join<element>(__builtin_bit_cast(One, static_cast<float>(first)),
                         __builtin_bit_cast(One, static_cast<float>(second)));
  else if constexpr (element == Element::s32)
    return join<element>(static_cast<One>(detail::round_to_s32(first)),
                         static_cast<One>(detail::round_to_s32(second)));
  else if constexpr (element == Element::s8)
    return join<element>(static_cast<One>(detail::saturate_s8(detail::round_to_s32(first))),
                         static_cast<One>(detail::saturate_s8(detail::round_to_s32(second))));
  else
    return detail::encode_floats<element>(static_cast<float>(first), static_cast<float>(second));
}

template <Element element>
TILE_FN float decode_one(Code<element> code) {
  if constexpr (element == Element::f32 || element == Element::tf32) {
    return __builtin_bit_cast(float, code);
  } else if constexpr (element == Element::bf16) {
    return __builtin_bit_cast(float, std::uint32_t{code} << 16);
  } else if constexpr (element == Element::s8) {
    return static_cast<std::int8_t>(code);
  } else if constexpr (element == Element::s32) {
    return static_cast<float>(static_cast<std::int32_t>(code));
  } else {
#ifdef __CUDA_ARCH__
    // fp8 goes by way of f16, two at a time: the other one is 0.
    if constexpr (element == Element::e4m3)
      return arch::f16_to_float(static_cast<std::uint16_t>(arch::e4m3_to_f16(code)));
    else if constexpr (element == Element::e5m2)
      return arch::f16_to_float(static_cast<std::uint16_t>(arch::e5m2_to_f16(code)));
    else
      return arch::f16_to_float(code);
#else
    return static_cast<float>(base::decode<detail::format_of<element>()>(code));
#endif
  }
}

template <Element element>
TILE_FN Pair<float> decode_pair(PairCode<element> codes) {
#ifdef __CUDA_ARCH__
  if constexpr (element == Element::e4m3)
    return decode_pair<Element::f16>(arch::e4m3_to_f16(codes));
  if constexpr (element == Element::e5m2)
    return decode_pair<Element::f16>(arch::e5m2_to_f16(codes));
#endif
  using One = Code<element>;
  return {decode_one<element>(static_cast<One>(codes)),
          decode_one<element>(static_cast<One>(codes >> 8 * bytes_of(element)))};
}

}  // namespace aisp::tile
