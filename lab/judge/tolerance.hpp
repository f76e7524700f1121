// Tolerances derived from the arithmetic a case states, instead of numbers that happened to pass.
//
// The model of a sum of `length` products of rms `rms` and random sign: partial sum k has rms
// sqrt(k) * rms, and each addition adds an error of at most epsilon * |partial sum|. Three regimes:
//
// * Errors of random sign (round to nearest, products aligned before they are added): given the
//   path of the partial sums, the total error is normal with variance epsilon^2 / 3 * sum of
//   s_k^2. That sum is itself random, K^2 * rms^2 times the integral of a squared random walk W
//   over [0, 1], whose tail is exp(-pi^2 x / 8); together P(|error| > t * epsilon * K * rms) is
//   about exp(-2.7 t). At t = 10 that is 1e-12 per element: one false alarm in 4000 runs of 2^28
//   elements.
// * Truncating accumulators (matrix units): each of the K / step additions also loses about
//   epsilon / 2 of the partial sum, always toward zero. That sum of a random walk is normal with
//   standard deviation epsilon * rms * K^1.5 / (2 sqrt(3) step); seven of them are allowed.
// * Terms of one sign: partial sum k is k / K of the result, so errors of random sign have standard
//   deviation epsilon * sqrt(K) / 3 relative to it; seven of them, or the certain bound
//   (K - 1) * epsilon where that is smaller.
//
// The order of the sum does not matter for the bounds: trees and split sums only make errors
// smaller.
#pragma once

#include <cstdint>

#include "lab/case/case.hpp"

namespace aisp::lab {

// How a unit adds products.
struct Accumulator {
  double epsilon = 0x1p-24;  // largest error of one addition, relative to the partial sum
  bool truncates = false;    // rounds toward zero instead of to nearest
  int step = 1;              // products that share one addition
  // Products after which a partial sum moves on to an f32 sum rounded to nearest; 0: never.
  std::int64_t promoted_every = 0;
};

inline constexpr Accumulator fma_f32{};
// f32 accumulators of bf16, f16 and tf32 matrix instructions; the shortest has a K of 4.
inline constexpr Accumulator matrix_f32{.epsilon = 0x1p-23, .truncates = true, .step = 4};
// Hopper's fp8 instruction (K of 32) keeps 13 bits after the point while it adds.
inline constexpr Accumulator matrix_fp8{.epsilon = 0x1p-13, .truncates = true, .step = 32};

// `roundings` to the output's type, one after another: half an ulp each. For a function that is
// good to n ulp pass 2 n.
Tolerance rounding(Dtype output, double roundings = 1.0);

// A sum of `length` products of random sign and the given rms (inputs uniform in [-1, 1]: 1/3),
// rounded to the output's type.
Tolerance accumulation(Dtype output, std::int64_t length, double product_rms,
                       const Accumulator& accumulator = fma_f32);

// What a matrix unit adds to that by cutting each tf32 factor after 10 fraction bits, for factors
// uniform in [-1, 1]: on average 2^-11 per factor, so 2 * 2^-11 relative to the sum, and what
// varies (2^-10 / sqrt(12) per factor) walks to sqrt(2 length) / 3 times that. Twice the first and
// seven standard deviations of the second are allowed.
Tolerance with_cut_tf32_factors(Tolerance tolerance, std::int64_t length);

// A sum of `length` terms of one sign, rounded to nearest each time and then to the output's type.
Tolerance one_sign_accumulation(Dtype output, std::int64_t length, double epsilon = 0x1p-24);

}  // namespace aisp::lab
