// Binary floating-point formats as values: one description, one encoder and one decoder serve
// bf16, f16, the two fp8 formats, tf32 and f32. Codes are the bits in the low end of a word.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace aisp::base {

struct Format {
  int exponent_bits = 0;
  int fraction_bits = 0;
  // The top exponent: infinity and NaN as in IEEE 754, or ordinary numbers up to the all-ones code,
  // which alone is NaN (OCP "fn").
  bool has_infinity = true;
  // What the encoder makes of a number too large: the largest finite one instead of infinity.
  bool saturates = false;

  constexpr int bits() const { return 1 + exponent_bits + fraction_bits; }
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  // Exponents of the smallest normal and of the largest finite number.
  constexpr int min_exponent() const { return 1 - bias(); }
  constexpr int max_exponent() const { return has_infinity ? bias() : bias() + 1; }

  constexpr std::uint32_t sign_code() const { return 1u << (bits() - 1); }
  constexpr std::uint32_t infinity_code() const {
    return ((1u << exponent_bits) - 1) << fraction_bits;
  }
  constexpr std::uint32_t nan_code() const {
    return has_infinity ? infinity_code() | 1u << (fraction_bits - 1) : sign_code() - 1;
  }
  constexpr std::uint32_t largest_code() const {
    return (has_infinity ? infinity_code() : nan_code()) - 1;
  }
};

inline constexpr Format f64{11, 52};  // for ulp() alone: its codes do not fit a 32-bit word
inline constexpr Format f32{8, 23};
inline constexpr Format tf32{8, 10};  // 19 bits; in registers they are the high bits of an f32
inline constexpr Format bf16{8, 7};
inline constexpr Format f16{5, 10};
inline constexpr Format e5m2{5, 2, true, true};
inline constexpr Format e4m3{4, 3, false, true};

constexpr double power_of_two(int exponent) {
  if (exponent > 1023) return std::numeric_limits<double>::infinity();
  if (exponent >= -1022)
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  return exponent < -1074 ? 0.0 : std::bit_cast<double>(std::uint64_t{1} << (exponent + 1074));
}

// Distance between neighbouring numbers of the format at |value|. Below the smallest normal and
// above the largest finite number (NaN included) the spacing of that end holds.
constexpr double ulp(const Format& format, double value) {
  const auto magnitude = std::bit_cast<std::uint64_t>(value) & ~(std::uint64_t{1} << 63);
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  return power_of_two(std::clamp(exponent, format.min_exponent(), format.max_exponent()) -
                      format.fraction_bits);
}

template <Format format>
constexpr double decode(std::uint32_t code) {
  static_assert(format.bits() <= 32);
  const bool negative = (code & format.sign_code()) != 0;
  const std::uint32_t magnitude = code & (format.sign_code() - 1);
  const std::uint32_t field = magnitude >> format.fraction_bits;
  const std::uint32_t fraction = magnitude & ((1u << format.fraction_bits) - 1);
  double value = 0.0;
  if (magnitude <= format.largest_code()) {
    constexpr double smallest = power_of_two(format.min_exponent() - format.fraction_bits);
    const auto exponent =
        static_cast<std::uint64_t>(field) + static_cast<std::uint64_t>(1023 - format.bias());
    value = field == 0 ? fraction * smallest
                       : std::bit_cast<double>(exponent << 52 | std::uint64_t{fraction}
                                                                    << (52 - format.fraction_bits));
  } else {
    value = format.has_infinity && magnitude == format.infinity_code()
                ? std::numeric_limits<double>::infinity()
                : std::numeric_limits<double>::quiet_NaN();
  }
  return negative ? -value : value;
}

// Rounds to nearest, ties to even, once: the argument is a double so that no float stands between.
template <Format format>
constexpr std::uint32_t encode(double value) {
  static_assert(format.bits() <= 32);
  constexpr std::uint64_t infinity = std::uint64_t{0x7FF} << 52;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
  const std::uint32_t sign = bits >> 63 != 0 ? format.sign_code() : 0u;
  if (magnitude > infinity) return sign | format.nan_code();

  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  const int floor = std::max(exponent, format.min_exponent());
  const int shift = 52 - format.fraction_bits + (floor - exponent);
  if (shift > 53) return sign;  // less than half of the smallest subnormal
  const std::uint64_t implicit = std::uint64_t{1} << 52;
  const std::uint64_t significand = (magnitude & (implicit - 1)) | implicit;
  const std::uint64_t odd = significand >> shift & 1;
  const std::uint64_t rounded =
      (significand + (std::uint64_t{1} << (shift - 1)) - 1 + odd) >> shift;
  // The leading bit of a normal number, and any carry, counts the exponent field up by itself.
  const std::uint64_t code =
      (static_cast<std::uint64_t>(floor - format.min_exponent()) << format.fraction_bits) + rounded;
  if (code <= format.largest_code()) return sign | static_cast<std::uint32_t>(code);
  return sign | (format.saturates ? format.largest_code() : format.infinity_code());
}

template <Format format>
inline constexpr double largest = decode<format>(format.largest_code());

// A number rounded to the format and back; tf32 operands are made with it.
template <Format format>
constexpr double rounded_to(double value) {
  return decode<format>(encode<format>(value));
}

static_assert(largest<e4m3> == 448.0 && largest<e5m2> == 57344.0 && largest<f16> == 65504.0);

}  // namespace aisp::base
