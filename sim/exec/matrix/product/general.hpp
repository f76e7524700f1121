// Sums of products of any numbers, in double: products, and their places in a sum, are exact there
// whatever the exponents are.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sim/exec/matrix/product/narrow.hpp"

namespace aisp::sim {

using base::Doubles4;
using base::Floats4;
using base::Ints4;
using base::Longs4;

// The result of a sum of which `value` is exact in double.
inline std::uint32_t finish(double value, bool to_f16, int bits) {
  if (std::isnan(value)) return to_f16 ? 0x7fffu : 0x7fffffffu;
  if (to_f16) {
    const std::uint32_t code = base::encode<base::f16>(value);
    return code == base::f16.sign_code() ? 0 : code;
  }
  const std::uint32_t sign = value < 0 ? 0x80000000u : 0u;
  const double magnitude = std::abs(value);
  if (magnitude >= base::power_of_two(128)) return sign | base::f32.infinity_code();
  const int fraction_bits = std::min(bits, 23);
  const double unit = base::ulp(base::f32, magnitude) * base::power_of_two(23 - fraction_bits);
  const double truncated = std::trunc(magnitude / unit) * unit;
  return truncated == 0 ? 0 : sign | std::bit_cast<std::uint32_t>(static_cast<float>(truncated));
}

[[gnu::always_inline]] inline Doubles4 powers_of_two(Ints4 exponents) {
  return std::bit_cast<Doubles4>((base::to_longs(exponents) + 1023) << 52);
}

// The accumulators of four columns; subnormal numbers have the exponent of the smallest normal one.
template <bool is_f16>
[[gnu::always_inline]] inline void load_any(const std::uint32_t* c, Floats4& value,
                                            Ints4& exponent) {
  auto code = base::load<Ints4>(c);
  if (is_f16) code = std::bit_cast<Ints4>(base::floats_of_f16(code));
  const Ints4 magnitude = code & 0x7fffffff;
  constexpr int lowest = is_f16 ? base::f16.min_exponent() : base::f32.min_exponent();
  value = std::bit_cast<Floats4>(code);
  exponent = base::larger((magnitude >> 23) - 127, Ints4{} + lowest);
  exponent = magnitude == 0 ? Ints4{} + zero_exponent : exponent;
}

// Sums of four columns. Where terms may be NaN or infinite, those are added to `special` instead,
// as IEEE arithmetic adds them.
template <bool may_be_special>
struct GeneralSums {
  Doubles4 sum{}, special{};
  Ints4 chunk{};

  // Adds the integer part of `value * scale`, which is below 2^27, to the chunk.
  [[gnu::always_inline]] void add(Doubles4 value, Doubles4 scale) {
    if (may_be_special) {
      constexpr double infinity = std::numeric_limits<double>::infinity();
      const Longs4 finite = (value < infinity) & (value > -infinity);
      const auto code = std::bit_cast<Longs4>(value);
      special += std::bit_cast<Doubles4>(code & ~finite);
      value = std::bit_cast<Doubles4>(code & finite);
    }
    chunk += __builtin_convertvector(value * scale, Ints4);
  }
  [[gnu::always_inline]] void end_chunk() {
    sum += base::to_doubles(chunk);
    chunk = Ints4{};
  }
};

// Sums truncated, or rounded to odd so that a second rounding to f16 is exact, or what is special.
// False: a sum is below f32's normal numbers.
template <bool to_f16>
[[gnu::always_inline]] inline bool store_doubles(Doubles4 value, Doubles4 special, int bits,
                                                 std::uint32_t* c) {
  const int dropped = 52 - (to_f16 ? 23 : std::min(bits, 23));
  const auto keep = static_cast<std::int64_t>(~std::uint64_t{0} << dropped);
  const Longs4 finite = special == 0;
  const Longs4 code = std::bit_cast<Longs4>(value) & finite;
  Longs4 kept = code & keep;
  if (to_f16) kept |= ((code & ~keep) != 0) & (std::int64_t{1} << dropped);
  const Longs4 magnitude = code & ~(std::int64_t{1} << 63);
  constexpr auto smallest = std::bit_cast<std::int64_t>(base::power_of_two(-126));
  if (base::any((magnitude < smallest) & (magnitude > 0))) [[unlikely]]
    return false;
  kept |= std::bit_cast<Longs4>(special) & ~finite;
  auto result =
      std::bit_cast<Ints4>(__builtin_convertvector(std::bit_cast<Doubles4>(kept), Floats4));
  if (to_f16)
    result = to_half(result);
  else
    result = (result & 0x7fffffff) > 0x7f800000 ? Ints4{} + 0x7fffffff : result;
  base::store(c, result);
  return true;
}

// One group for four columns of a panel, from `column` on.
template <bool to_f16, bool may_be_special>
void general_sum(const Group& group, int column, Ints4 product_scale, int accumulator_scale,
                 std::uint32_t* c) {
  const std::int32_t* b_exponents = group.b_exponents + column % vector_columns;
  const int drop = column < vector_columns ? 16 : 0;  // of a pair of exponents
  Floats4 start;
  Ints4 largest;
  load_any<to_f16>(c, start, largest);
  largest += accumulator_scale - product_scale;
  for (int i = 0; i < group.terms; ++i) {
    const auto pairs = base::load<Ints4>(b_exponents + group.row(i) * vector_columns);
    largest = base::larger(largest, (pairs << drop >> 16) + (group.a_exponents[i] >> 16));
  }
  // Those of zeros and of special numbers are far outside: any power of two will do for them.
  largest = base::smaller(base::larger(largest, Ints4{} - 480), Ints4{} + 480);

  GeneralSums<true> first;  // an accumulator may be special where no product is
  const Ints4 own = largest + product_scale - accumulator_scale;
  first.add(__builtin_convertvector(start, Doubles4), powers_of_two(group.bits - own));
  GeneralSums<may_be_special> sums{base::to_doubles(first.chunk), first.special};
  const Doubles4 scale = powers_of_two(group.bits - largest);
  for (int i = 0; i < group.terms; ++i) {
    const auto b = base::load<Floats4>(group.b + group.row(i) * panel_columns + column);
    sums.add(__builtin_convertvector(b, Doubles4) * double{group.a[i]}, scale);
    if (i % chunk_terms == chunk_terms - 1) sums.end_chunk();
  }
  sums.end_chunk();
  const Doubles4 value = sums.sum * powers_of_two(largest + product_scale - group.bits);
  if (store_doubles<to_f16>(value, sums.special, group.bits, c)) return;
  for (int i = 0; i < 4; ++i)
    c[i] = finish(sums.special[i] != 0 ? sums.special[i] : value[i], to_f16, group.bits);
}

}  // namespace aisp::sim
