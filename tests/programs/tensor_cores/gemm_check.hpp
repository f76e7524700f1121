// What the matrix products share: inputs, and the judgement of every element against float64.
#pragma once

#include <cmath>
#include <cstdint>

#include "tests/programs/check.hpp"

// Values in [-1, 1) of a 16-bit format; T converts from and to float.
template <class T>
std::vector<T> unit_values(std::size_t count, unsigned seed) {
  std::vector<T> values;
  values.reserve(count);
  for (const unsigned bits : numbers(count, seed))
    values.push_back(T(static_cast<float>(static_cast<std::int32_t>(bits)) * 0x1p-31f));
  return values;
}

struct Dot {
  double value = 0, magnitude = 0;  // sum of the products, and of their absolute values
};

// Eight independent sums, which the compiler can keep in vectors.
inline Dot dot(const float* a, const float* b, int count) {
  constexpr int width = 8;
  double value[width] = {}, magnitude[width] = {};
  int at = 0;
  for (; at + width <= count; at += width)
    for (int i = 0; i < width; ++i) {
      const double product = static_cast<double>(a[at + i]) * b[at + i];
      value[i] += product;
      magnitude[i] += std::abs(product);
    }
  for (; at < count; ++at) {
    value[0] += static_cast<double>(a[at]) * b[at];
    magnitude[0] += std::abs(static_cast<double>(a[at]) * b[at]);
  }
  Dot sum;
  for (int i = 0; i < width; ++i) {
    sum.value += value[i];
    sum.magnitude += magnitude[i];
  }
  return sum;
}

// D (m x n) against A (m x k) times the transpose of B (n x k), all row-major. Tensor cores align
// the sixteen products and the accumulator of a step to 2^-24 of the largest and cut the sum to
// 2^-23 of itself: at most (17 / 2 + 1) * 2^-23 of the sum of magnitudes a step. The result is then
// rounded to `fraction_bits`.
template <class In, class Out>
void check_product(const std::vector<In>& a, const std::vector<In>& b, const std::vector<Out>& d,
                   int m, int n, int k, int fraction_bits, const char* what) {
  const std::vector<float> wide_a(a.begin(), a.end()), wide_b(b.begin(), b.end());
  const double per_magnitude = (k + 15) / 16 * 9.5 * 0x1p-23;
  const double rounding = std::ldexp(1.0, -fraction_bits - 1);
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      const Dot want = dot(&wide_a[std::size_t(row) * k], &wide_b[std::size_t(column) * k], k);
      const double error = want.magnitude * per_magnitude;
      const double allowed = error + (std::abs(want.value) + error) * rounding;
      const double got = static_cast<float>(d[std::size_t(row) * n + column]);
      if (std::abs(got - want.value) <= allowed) continue;
      std::fprintf(stderr, "%s: element (%d, %d) is %g, not %g within %g\n", what, row, column, got,
                   want.value, allowed);
      std::exit(1);
    }
}
