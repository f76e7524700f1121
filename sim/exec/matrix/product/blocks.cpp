// Products of e2m1 with block scales that are numbers of their own.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/host/vector.hpp"
#include "base/number/format.hpp"
#include "sim/exec/matrix/product/product.hpp"

namespace aisp::sim {
namespace {

using base::Ints;

constexpr int block = 16, most_blocks = 4, lanes_at_once = base::vector_lanes;
constexpr int zero_term_exponent = -126;  // of a term that is zero

// In halves: e2m1 is 0, 0.5, 1, 1.5, 2, 3, 4, 6.
constexpr std::int32_t halves[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

// A product has two fractional bits, a significand of a scale three.
constexpr int term_fraction_bits = 2 + 3 + 3;

struct Terms {
  std::int64_t significand[most_blocks]{};
  int exponent[most_blocks]{};
  int count = 0;
  void add(std::int64_t value, int at) {
    significand[count] = value;
    exponent[count++] = value == 0 ? zero_term_exponent : at;
  }
};

std::int64_t aligned(std::int64_t value, int shift) {
  const std::int64_t magnitude = std::abs(value);
  const std::int64_t moved = shift >= 0    ? magnitude << shift
                             : shift > -63 ? magnitude >> -shift
                                           : 0;
  return value < 0 ? -moved : moved;
}

std::uint32_t truncated(double value) {
  if (value == 0) return 0;
  const std::uint32_t sign = value < 0 ? 0x80000000u : 0u;
  const double magnitude = std::abs(value);
  if (magnitude >= base::power_of_two(128)) return sign | base::f32.infinity_code();
  if (magnitude >= base::power_of_two(-126)) {
    const auto bits = std::bit_cast<std::uint64_t>(magnitude) & ~std::uint64_t{0x1fffffff};
    return sign | std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
  }
  const double unit = base::power_of_two(-149);
  const double kept = std::trunc(magnitude / unit) * unit;
  return kept == 0 ? 0 : sign | std::bit_cast<std::uint32_t>(static_cast<float>(kept));
}

// All fraction bits of the terms and of the accumulator fit below `bits`: nothing is lost by the
// common shift to the left, only by aligning.
std::uint32_t sum_of(const Terms& terms, std::uint32_t c, int bits) {
  const std::uint32_t field = c >> 23 & 255, fraction = c & 0x7fffff;
  if (field == 255) return fraction != 0 ? 0x7fffffffu : c;
  const auto significand =
      static_cast<std::int64_t>(fraction | static_cast<std::uint32_t>(field != 0) << 23);
  const int c_exponent = significand == 0 ? zero_term_exponent : std::max<int>(field, 1) - 127;
  int largest = c_exponent;
  for (int i = 0; i < terms.count; ++i) largest = std::max(largest, terms.exponent[i]);
  std::int64_t sum =
      aligned(c >> 31 != 0 ? -significand : significand, bits - 23 + c_exponent - largest);
  for (int i = 0; i < terms.count; ++i)
    sum += aligned(terms.significand[i], bits - term_fraction_bits + terms.exponent[i] - largest);
  return truncated(static_cast<double>(sum) * base::power_of_two(largest - bits));
}

}  // namespace

void multiply_blocks(const MatrixProduct& p, const BlockScale* a, const BlockScale* b, int bits) {
  thread_local std::int32_t b_values[max_block_matrix_b];
  for (int i = 0; i < p.k * p.n; ++i) b_values[i] = halves[p.b[i] & 15];
  const int blocks = p.products / block;
  for (int row = 0; row < p.m; ++row) {
    std::int32_t a_values[block * most_blocks];
    int b_rows[block * most_blocks];
    for (int i = 0; i < p.products; ++i) {
      const int at = row * p.products + i;
      a_values[i] = halves[p.a[at] & 15];
      b_rows[i] = p.index != nullptr ? p.index[at] : i;
    }
    for (int column = 0; column < p.n; column += lanes_at_once) {
      Ints dots[most_blocks];
      for (int at = 0; at < blocks; ++at) {
        Ints dot{};
        for (int i = at * block; i < (at + 1) * block; ++i)
          dot += base::load<Ints>(b_values + b_rows[i] * p.n + column) * a_values[i];
        dots[at] = dot;
      }
      for (int i = 0; i < lanes_at_once; ++i) {
        Terms terms;
        for (int at = 0; at < blocks; ++at) {
          const BlockScale& x = a[row * blocks + at];
          const BlockScale& y = b[at * p.n + column + i];
          terms.add(std::int64_t{dots[at][i]} * x.significand * y.significand,
                    x.exponent + y.exponent);
        }
        std::uint32_t& c = p.c[row * p.n + column + i];
        c = sum_of(terms, c, bits);
      }
    }
  }
}

}  // namespace aisp::sim
