// From numbers to blocks of narrow floats with a common factor, the same bits on the host and in a
// kernel. Elements are x / factor, rounded once to nearest even; what is too large becomes the
// largest. A block that holds a NaN or an infinity gets a factor that is NaN.
#pragma once

#include <cmath>
#include <cstdint>

#include "tile/atom/block_scale.hpp"

#ifdef __CUDACC__
#define TILE_BOTH __host__ __device__ inline
#else
#define TILE_BOTH inline
#endif

namespace aisp::tile {

// A format of at most 8 bits whose codes count up with the magnitude.
struct SmallFloat {
  int exponent_bits = 0, fraction_bits = 0;
  int largest_code = 0;
  int nan_code = 0;  // of formats without NaN the largest number

  TILE_FN int bits() const { return 1 + exponent_bits + fraction_bits; }
  TILE_FN int min_exponent() const { return 2 - (1 << (exponent_bits - 1)); }
};
TILE_FN SmallFloat small_float(Element element) {
  switch (element) {
    case Element::e2m1:
      return {2, 1, 7, 7};
    case Element::e2m3:
      return {2, 3, 31, 31};
    case Element::e3m2:
      return {3, 2, 31, 31};
    case Element::e5m2:
      return {5, 2, 0x7B, 0x7F};
    default:
      return {4, 3, 0x7E, 0x7F};  // e4m3
  }
}

namespace detail {

TILE_FN std::uint32_t bits_of_float(float value) {
  return __builtin_bit_cast(std::uint32_t, value);
}
TILE_FN float float_of_bits(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }
TILE_FN float power_of_two(int exponent) {  // of -149 and more
  return exponent >= -126 ? float_of_bits(static_cast<std::uint32_t>(exponent + 127) << 23)
                          : float_of_bits(1u << (exponent + 149));
}
inline constexpr std::uint32_t infinity_bits = 0x7F800000u;

}  // namespace detail

TILE_FN float decode_small(const SmallFloat& f, std::uint32_t code) {
  const std::uint32_t magnitude = code & ((1u << (f.bits() - 1)) - 1);
  const int field = static_cast<int>(magnitude >> f.fraction_bits);
  const auto fraction = static_cast<float>(magnitude & ((1u << f.fraction_bits) - 1));
  const auto implicit = static_cast<float>(1 << f.fraction_bits);
  if (static_cast<int>(magnitude) > f.largest_code)
    return detail::float_of_bits(f.exponent_bits == 5 && fraction == 0  // e5m2 has an infinity
                                     ? detail::infinity_bits | (code >> 7 << 31)
                                     : 0x7FFFFFFFu);
  const int exponent = f.min_exponent() + (field > 0 ? field - 1 : 0) - f.fraction_bits;
  const float value = (fraction + (field > 0 ? implicit : 0)) * detail::power_of_two(exponent);
  return code >> (f.bits() - 1) ? -value : value;
}
TILE_FN float largest_of(Element element) {
  const SmallFloat f = small_float(element);
  return decode_small(f, static_cast<std::uint32_t>(f.largest_code));
}

// To nearest even; saturates, NaN stays NaN where there is one.
TILE_FN std::uint8_t encode_small(const SmallFloat& f, float value) {
  const std::uint32_t bits = detail::bits_of_float(value), magnitude = bits & 0x7FFFFFFFu;
  const std::uint32_t sign = bits >> 31 << (f.bits() - 1);
  if (magnitude > detail::infinity_bits) return static_cast<std::uint8_t>(f.nan_code);
  const float most = decode_small(f, static_cast<std::uint32_t>(f.largest_code));
  const float clamped =
      detail::float_of_bits(magnitude) < most ? detail::float_of_bits(magnitude) : most;
  int exponent = static_cast<int>(detail::bits_of_float(clamped) >> 23) - 127;
  if (exponent < f.min_exponent()) exponent = f.min_exponent();
  // In units of the last place, to an integer: a float above 2^23 has no fraction.
  const float scaled = clamped * detail::power_of_two(f.fraction_bits - exponent);
  const std::uint32_t rounded = detail::bits_of_float(scaled + 0x1p23f) & 0x7FFFFFu;
  const std::uint32_t code =
      (static_cast<std::uint32_t>(exponent - f.min_exponent()) << f.fraction_bits) + rounded;
  return static_cast<std::uint8_t>(sign | code);
}

// x / by so that rounding it again to fewer bits gives what rounding once would: the last bit is
// set where something was cut off.
TILE_BOTH float divide_to_odd(float x, float by) {
  const float quotient = x / by;
  const std::uint32_t bits = detail::bits_of_float(quotient);
  if ((bits & 0x7FFFFFFFu) >= detail::infinity_bits) return quotient;
  const float rest = fmaf(-quotient, by, x);  // exact: the sign says on which side it lies
  if (rest == 0) return quotient;
  const bool too_far = (rest < 0) != (x < 0) && quotient != 0;
  return detail::float_of_bits((too_far ? bits - 1 : bits) | 1);
}

// The code of a block's factor. nv: largest magnitude / 6 in units of the matrix's factor, to
// nearest even. mx: the smallest power of two by which no element exceeds the largest number.
TILE_BOTH std::uint8_t scale_code(Scaling scaling, Element element, float largest,
                                  float of_matrix) {
  const bool finite = (detail::bits_of_float(largest) & 0x7FFFFFFFu) < detail::infinity_bits;
  if (scaling == Scaling::nv)
    return finite ? encode_small(small_float(Element::e4m3),
                                 divide_to_odd(largest, of_matrix * largest_of(element)))
                  : std::uint8_t{0x7F};
  if (!finite) return 0xFF;
  if (largest == 0) return 0;
  const auto parts = [](float value, std::uint32_t& fraction) {
    const bool tiny = value < 0x1p-126f;  // below the normal numbers
    const std::uint32_t bits = detail::bits_of_float(tiny ? value * 0x1p24f : value);
    fraction = bits & 0x7FFFFFu;
    return static_cast<int>(bits >> 23) - 127 - (tiny ? 24 : 0);
  };
  std::uint32_t of_largest = 0, of_format = 0;
  const int exponent = parts(largest, of_largest) - parts(largest_of(element), of_format) +
                       (of_largest > of_format ? 1 : 0);
  return static_cast<std::uint8_t>(exponent < -127 ? 0 : exponent + 127);
}
// The number that the code stands for, as the matrix unit reads it.
TILE_FN float scale_value(Scaling scaling, std::uint8_t code) {
  if (scaling == Scaling::nv) return decode_small(small_float(Element::e4m3), code & 0x7Fu);
  return code == 0xFF ? detail::float_of_bits(0x7FFFFFFFu) : detail::power_of_two(code - 127);
}

// One element of a block whose factor is `scale`; a factor of 0 leaves nothing but zeros.
TILE_BOTH std::uint8_t quantized(Element element, float value, float scale, float of_matrix) {
  const float by = scale * of_matrix;
  return by == 0 ? std::uint8_t{0} : encode_small(small_float(element), divide_to_odd(value, by));
}

// The factor of a whole matrix that has block scales of its own range: the largest block's is 448.
TILE_FN float matrix_scale(Scaling scaling, Element element, float largest) {
  return scaling == Scaling::nv && largest > 0
             ? largest / (largest_of(Element::e4m3) * largest_of(element))
             : 1.0f;
}

static_assert(largest_of(Element::e2m1) == 6 && largest_of(Element::e2m3) == 7.5f &&
              largest_of(Element::e3m2) == 28 && largest_of(Element::e4m3) == 448 &&
              largest_of(Element::e5m2) == 57344);
static_assert(encode_small(small_float(Element::e2m1), 2.5f) == 4);  // 2, whose last bit is 0
static_assert(encode_small(small_float(Element::e2m1), -3.6f) == 14);

}  // namespace aisp::tile
