// Integer, one-bit and double-precision products: no rounding rules of their own.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/number/format.hpp"
#include "sim/exec/matrix/product/product.hpp"

namespace aisp::sim {
namespace {

std::int32_t integer_of(Type type, std::uint32_t code) {
  const int drop = 32 - bits_of(type);
  const std::uint32_t high = code << drop;
  return is_signed(type) ? static_cast<std::int32_t>(high) >> drop
                         : static_cast<std::int32_t>(high >> drop);
}

std::uint32_t accumulate(std::uint32_t c, std::int32_t sum, bool saturate) {
  if (!saturate) return c + static_cast<std::uint32_t>(sum);
  const std::int64_t exact = std::int64_t{static_cast<std::int32_t>(c)} + sum;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(
      exact, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
}

std::uint32_t add_floats(std::uint32_t a, std::uint32_t b) {
  return std::bit_cast<std::uint32_t>(std::bit_cast<float>(a) + std::bit_cast<float>(b));
}

}  // namespace

void multiply_integers(const MatrixProduct& p, Type a_type, Type b_type, bool saturate) {
  thread_local std::int32_t b[max_matrix_b];
  for (int i = 0; i < p.k * p.n; ++i) b[i] = integer_of(b_type, p.b[i]);
  for (int row = 0; row < p.m; ++row) {
    std::int32_t sums[256] = {};
    for (int i = 0; i < p.products; ++i) {
      const int at = row * p.products + i;
      const std::int32_t a = integer_of(a_type, p.a[at]);
      const std::int32_t* b_row = b + (p.index != nullptr ? p.index[at] : i) * p.n;
      for (int column = 0; column < p.n; ++column) sums[column] += a * b_row[column];
    }
    std::uint32_t* c = p.c + row * p.n;
    for (int column = 0; column < p.n; ++column)
      c[column] = accumulate(c[column], sums[column], saturate);
  }
}

void multiply_bits(const MatrixProduct& p, bool exclusive_or) {
  for (int row = 0; row < p.m; ++row) {
    for (int column = 0; column < p.n; ++column) {
      int ones = 0;
      for (int i = 0; i < p.products; ++i) {
        const std::uint32_t a = p.a[row * p.products + i], b = p.b[i * p.n + column];
        ones += std::popcount(exclusive_or ? a ^ b : a & b);
      }
      p.c[row * p.n + column] += static_cast<std::uint32_t>(ones);
    }
  }
}

void add_accumulators(Type type, const std::uint32_t* sums, std::uint32_t* c, int count) {
  const auto value_of = [type](std::uint32_t code) {
    return type == Type::f16 ? base::decode<base::f16>(code) : base::decode<base::f32>(code);
  };
  for (int i = 0; i < count; ++i) {
    const double sum = value_of(sums[i]) + value_of(c[i]);
    if (type == Type::f16)
      c[i] = std::isnan(sum) ? 0x7fffu : base::encode<base::f16>(sum);
    else
      c[i] = std::isnan(sum) ? 0x7fffffffu : add_floats(sums[i], c[i]);
  }
}

void multiply_doubles(int m, int n, int k, const double* a, const double* b, double* c,
                      Round round) {
  const ArithmeticScope scope(round, false);
  for (int row = 0; row < m; ++row)
    for (int i = 0; i < k; ++i)
      for (int column = 0; column < n; ++column)
        c[row * n + column] = std::fma(a[row * k + i], b[i * n + column], c[row * n + column]);
}

}  // namespace aisp::sim
