// Made-up times for the tests of the measurement rules: reproducible, with known truth.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "lab/case/random.hpp"

namespace aisp::lab {

class MadeUp {
 public:
  explicit MadeUp(std::uint64_t seed) : seed_(seed) {}

  double uniform() { return unit_interval(philox(seed_, 77, counter_++)[0]); }
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

  // `count` times around `center` with relative noise.
  std::vector<double> noisy(int count, double center, double noise) {
    return fill(count, [&](int) { return center * (1.0 + noise * normal()); });
  }
  // As a timer sees it: a floor, small noise to the right of it, and now and then a long one.
  std::vector<double> heavy_tailed(int count, double center) {
    return fill(count, [&](int) {
      const double outlier = uniform() < 0.1 ? 5.0 * uniform() : 0.0;
      return center * (1.0 + 0.01 * std::abs(normal()) + outlier);
    });
  }
  std::vector<double> bimodal(int count, double fast, double slow) {
    return fill(count,
                [&](int) { return (uniform() < 0.5 ? fast : slow) * (1.0 + 0.002 * normal()); });
  }

  template <class Draw>
  static std::vector<double> fill(int count, Draw draw) {
    std::vector<double> samples;
    for (int i = 0; i < count; ++i) samples.push_back(draw(i));
    return samples;
  }

 private:
  std::uint64_t seed_, counter_ = 0;
};

}  // namespace aisp::lab
