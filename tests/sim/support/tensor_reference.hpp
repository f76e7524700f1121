// The arithmetic of tcgen05.mma said a second time, slowly: numbers as doubles with the exponent
// that their format gives them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/number/format.hpp"

namespace aisp::tensor_reference {

struct Element {  // a type: its bits, its exponent's, and what the codes of the top exponent are
  int bits, exponent_bits;
  enum class Top { ieee, one_nan, numbers } top;
  int fraction_bits() const { return bits - 1 - exponent_bits; }
};
using Top = Element::Top;
inline constexpr Element f16{16, 5, Top::ieee}, bf16{16, 8, Top::ieee}, tf32{32, 8, Top::ieee},
    e4m3{8, 4, Top::one_nan}, e5m2{8, 5, Top::ieee}, e2m3{6, 2, Top::numbers},
    e3m2{6, 3, Top::numbers}, e2m1{4, 2, Top::numbers}, f32{32, 8, Top::ieee};

struct Term {
  double value = 0;      // the number itself
  int exponent = -2000;  // as the unit aligns by it; of zero: none
};

inline Term decode(const Element& type, std::uint32_t code) {
  const int fraction = &type == &tf32 ? 23 : type.fraction_bits();
  if (&type == &tf32) code &= ~0x1fffu;
  const int bias = (1 << (type.exponent_bits - 1)) - 1;
  const auto magnitude = static_cast<int>(code & ((1u << (type.bits - 1)) - 1));
  const int field = magnitude >> fraction, rest = magnitude & ((1 << fraction) - 1);
  const double sign = (code >> (type.bits - 1) & 1) != 0 ? -1 : 1;
  if (type.top == Top::ieee && field == (1 << type.exponent_bits) - 1)
    return {rest == 0 ? sign * std::numeric_limits<double>::infinity()
                      : std::numeric_limits<double>::quiet_NaN(),
            0};
  if (type.top == Top::one_nan && magnitude == (1 << (type.bits - 1)) - 1)
    return {std::numeric_limits<double>::quiet_NaN(), 0};
  if (magnitude == 0) return {};
  const int exponent = std::max(field, 1) - bias;
  return {sign * std::ldexp(rest + (field != 0 ? 1 << fraction : 0), exponent - fraction),
          exponent};
}

inline Term times(const Term& a, const Term& b, int scale = 0) {
  const double value = a.value * b.value;
  if (value == 0) return {};
  return {std::ldexp(value, scale), a.exponent + b.exponent + scale};
}

// All terms aligned to the largest exponent, cut to `bits` fractional bits, added.
inline double aligned_sum(const std::vector<Term>& terms, int bits) {
  int largest = -2000;
  double special = 0;
  for (const Term& term : terms) {
    if (!std::isfinite(term.value)) special += term.value;
    if (term.value != 0) largest = std::max(largest, term.exponent);
  }
  if (special != 0) return special;
  double sum = 0;
  for (const Term& term : terms) sum += std::trunc(std::ldexp(term.value, bits - largest));
  return std::ldexp(sum, largest - bits);
}

inline std::uint32_t to_f32(double value) {
  if (std::isnan(value)) return 0x7fffffffu;
  if (value == 0) return 0;
  if (std::abs(value) >= std::ldexp(1.0, 128)) return value < 0 ? 0xff800000u : 0x7f800000u;
  auto single = static_cast<float>(value);
  if (std::abs(static_cast<double>(single)) > std::abs(value)) single = std::nextafterf(single, 0);
  const auto code = std::bit_cast<std::uint32_t>(single);
  return code == 0x80000000u ? 0 : code;
}

inline std::uint32_t to_f16(double value) {
  if (std::isnan(value)) return 0x7fffu;
  const std::uint32_t code = base::encode<base::f16>(value);
  return code == 0x8000u ? 0 : code;
}

}  // namespace aisp::tensor_reference
