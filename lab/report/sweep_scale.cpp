#include "lab/report/sweep_scale.hpp"

#include <fmt/format.h>

#include <cmath>

namespace aisp::lab {

double Scale::at(double value) const {
  const auto measure = [&](double x) { return logarithmic_ ? std::log2(x) : x; };
  const double low = measure(low_), high = measure(high_);
  const double share = high > low ? (measure(value) - low) / (high - low) : 0.5;
  return from_ + (to_ - from_) * share;
}

std::vector<double> log_ticks(double low, double high) {
  std::vector<double> powers, all;
  const auto first = static_cast<int>(std::floor(std::log10(low)));
  for (int exponent = first; std::pow(10.0, exponent) <= high * (1 + 1e-9); ++exponent)
    for (const int factor : {1, 2, 5}) {
      const double tick = factor * std::pow(10.0, exponent);
      if (tick < low * (1 - 1e-9) || tick > high * (1 + 1e-9)) continue;
      if (factor == 1) powers.push_back(tick);
      all.push_back(tick);
    }
  return powers.size() < 3 ? all : powers;
}

std::vector<std::int64_t> labelled(const std::vector<std::int64_t>& values, std::size_t most) {
  const std::size_t stride = (values.size() + most - 1) / most;
  std::vector<std::int64_t> chosen;
  for (std::size_t i = 0; i < values.size(); i += stride) chosen.push_back(values[i]);
  return chosen;
}

std::string short_duration(double milliseconds) {
  if (milliseconds >= 1e3) return fmt::format("{:.4g} s", milliseconds * 1e-3);
  if (milliseconds >= 1) return fmt::format("{:.4g} ms", milliseconds);
  if (milliseconds >= 1e-3) return fmt::format("{:.4g} us", milliseconds * 1e3);
  return fmt::format("{:.4g} ns", milliseconds * 1e6);
}

}  // namespace aisp::lab
