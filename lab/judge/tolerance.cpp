#include "lab/judge/tolerance.hpp"

#include <algorithm>
#include <cmath>

namespace aisp::lab {
namespace {

// Bound of the absolute error of one sum without promotion.
double sum_error(std::int64_t length, double rms, const Accumulator& accumulator) {
  const auto k = static_cast<double>(length);
  const double unit = accumulator.epsilon * rms;
  const double random = 10.0 * unit * k;
  if (!accumulator.truncates) return random;
  return random + 7.0 * unit * k * std::sqrt(k) / (2.0 * std::sqrt(3.0) * accumulator.step);
}

}  // namespace

Tolerance rounding(Dtype output, double roundings) {
  // Half the spacing below the smallest normal number; of an integer type, half of one.
  const double absolute = roundings * ulp_at(output, 0.0) / 2;
  if (fraction_bits(output) == 0) return {.relative = 0.0, .absolute = absolute};
  const double first_order = roundings * std::ldexp(1.0, -fraction_bits(output) - 1);
  // (1 + u)^n - 1 <= n u + (n u)^2 for n u <= 1; a single rounding has no second order.
  const double second_order = roundings > 1.0 ? first_order * first_order : 0.0;
  return {.relative = first_order + second_order, .absolute = absolute};
}

Tolerance accumulation(Dtype output, std::int64_t length, double product_rms,
                       const Accumulator& accumulator) {
  double error = sum_error(length, product_rms, accumulator);
  const std::int64_t part = accumulator.promoted_every;
  if (part > 0 && part < length) {
    // Errors of the parts are independent: they add as squares.
    const double parts = static_cast<double>(length) / static_cast<double>(part);
    error = std::sqrt(parts) * sum_error(part, product_rms, accumulator) +
            sum_error(length, product_rms, fma_f32);
  }
  Tolerance tolerance = rounding(output);
  tolerance.absolute += (1.0 + tolerance.relative) * error;
  return tolerance;
}

Tolerance with_cut_tf32_factors(Tolerance tolerance, std::int64_t length) {
  tolerance.relative += 0x1p-9;
  tolerance.absolute +=
      7 * std::sqrt(2.0 * static_cast<double>(length)) / 3 * 0x1p-10 / std::sqrt(12.0);
  return tolerance;
}

Tolerance one_sign_accumulation(Dtype output, std::int64_t length, double epsilon) {
  const auto k = static_cast<double>(length);
  const double error = epsilon * std::min(std::max(k - 1.0, 0.0), 7.0 * std::sqrt(k) / 3.0);
  Tolerance tolerance = rounding(output);
  tolerance.relative += (1.0 + tolerance.relative) * error;
  return tolerance;
}

}  // namespace aisp::lab
