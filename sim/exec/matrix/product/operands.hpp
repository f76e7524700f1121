// Floating-point operands decoded for the aligned sums of floats.cpp: a value, and the exponent
// that the tensor core aligns products by.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/host/vector.hpp"
#include "base/number/format.hpp"
#include "sim/program/type.hpp"

namespace aisp::sim {

// Vectors as wide as the processor's own. A compiler makes poor code of a choice between lanes of
// vectors that are wider.
#if defined(__AVX2__)
inline constexpr int native_bytes = 32;
#else
inline constexpr int native_bytes = 16;
#endif
using Floats = float __attribute__((vector_size(native_bytes)));
using Ints = std::int32_t __attribute__((vector_size(native_bytes)));
using Words = std::uint32_t __attribute__((vector_size(native_bytes)));
using Shorts = std::int16_t __attribute__((vector_size(native_bytes)));
using Longs = std::int64_t __attribute__((vector_size(native_bytes)));
inline constexpr int vector_columns = native_bytes / 4;

// Four lanes of a vector, the first of which is lane 4 * number.
inline constexpr int quads = vector_columns / 4;
template <class Quad, class Vector>
[[gnu::always_inline]] inline Quad quad_of(const Vector& vector, int number) {
  return base::load<Quad>(reinterpret_cast<const std::byte*>(&vector) + number * sizeof(Quad));
}

// Whether a lane is negative.
[[gnu::always_inline]] inline bool any_negative(Ints lanes) {
  const auto longs = std::bit_cast<Longs>(lanes);
  std::uint64_t all = 0;
#pragma GCC unroll 4
  for (int i = 0; i < vector_columns / 2; ++i) all |= static_cast<std::uint64_t>(longs[i]);
  return (all & 0x8000000080000000u) != 0;
}

inline constexpr int zero_exponent = -8192;    // far below every other; two of them fit 16 bits
inline constexpr int special_exponent = 8192;  // NaN and infinity

// A format all of whose codes are numbers, beside those of base.
struct NumberFormat {
  int exponent_bits = 0, fraction_bits = 0;
  static constexpr bool has_infinity = false;
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr std::uint32_t sign_code() const { return 1u << (exponent_bits + fraction_bits); }
  constexpr std::uint32_t largest_code() const { return sign_code() - 1; }
};
inline constexpr NumberFormat e3m2_numbers{3, 2}, e2m3_numbers{2, 3}, e2m1_numbers{2, 1};

// One number each of a vector of codes.
struct Decoded {
  Floats value;
  Ints exponent;
};

// Subnormal numbers keep the exponent of the smallest normal one and are not
// normalised. Every format's numbers are numbers of f32.
template <auto format>
[[gnu::always_inline]] inline Decoded decode(Ints code) {
  constexpr int fraction_bits = format.fraction_bits;
  constexpr auto sign_code = static_cast<std::int32_t>(format.sign_code());
  const Ints magnitude = code & (sign_code - 1);
  const Ints field = magnitude >> fraction_bits;
  const Ints fraction = magnitude & ((1 << fraction_bits) - 1);
  const Ints exponent = base::larger(field, Ints{} + 1) - format.bias();
  const Ints special = magnitude > static_cast<std::int32_t>(format.largest_code());
  Ints bits = code << (23 - fraction_bits);  // exponents of eight bits: the high bits of an f32
  if constexpr (format.exponent_bits != 8) {
    const Ints significand = fraction | ((field != 0) & (1 << fraction_bits));
    const auto unit = std::bit_cast<Floats>((exponent - fraction_bits + 127) << 23);
    const Ints number = std::bit_cast<Ints>(__builtin_convertvector(significand, Floats) * unit);
    const Ints no_number = fraction << (23 - fraction_bits) | 0x7f800000;  // or infinity
    const Ints sign = (code & sign_code) << (31 - format.exponent_bits - fraction_bits);
    bits = (special ? no_number : number) | sign;
  }
  return {std::bit_cast<Floats>(bits), special
                                           ? Ints{} + special_exponent
                                           : (magnitude == 0 ? Ints{} + zero_exponent : exponent)};
}

// Calls `with` with a function that decodes a vector of codes of the type.
template <class With>
[[gnu::always_inline]] inline auto with_decoder(Type type, With with) {
  const auto decoder = []<auto format>() {
    return [](Ints code) __attribute__((always_inline)) { return decode<format>(code); };
  };
  switch (type) {
    case Type::bf16:
      return with(decoder.template operator()<base::bf16>());
    case Type::tf32:  // in the high bits of an f32
      return with([](Ints code)
                      __attribute__((always_inline)) { return decode<base::tf32>(code >> 13); });
    case Type::e4m3:
      return with(decoder.template operator()<base::e4m3>());
    case Type::e5m2:
      return with(decoder.template operator()<base::e5m2>());
    case Type::e3m2:
      return with(decoder.template operator()<e3m2_numbers>());
    case Type::e2m3:
      return with(decoder.template operator()<e2m3_numbers>());
    case Type::e2m1:
      return with(decoder.template operator()<e2m1_numbers>());
    default:
      return with(decoder.template operator()<base::f16>());
  }
}

}  // namespace aisp::sim
