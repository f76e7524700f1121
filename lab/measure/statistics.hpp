// What is said about a set of timed samples: median, bootstrap interval of it, and whether two sets
// differ. Everything is a pure function of its arguments: the same samples give the same words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace aisp::lab {

// Both are NaN for an empty set and for one that holds a NaN.
double median(std::vector<double> samples);
// Linear between the neighbouring order statistics; `fraction` in [0, 1].
double quantile(std::vector<double> samples, double fraction);

struct Interval {
  double low = 0.0;
  double high = 0.0;
};

// Percentile bootstrap: the middle `confidence` of the medians of `resamples` redrawn sets.
// Both ends are NaN where the median is.
Interval bootstrap_median(std::span<const double> samples, double confidence = 0.95,
                          int resamples = 1000, std::uint64_t seed = 1);

// The same for median(base) / median(other), each side redrawn on its own.
Interval bootstrap_ratio(std::span<const double> base, std::span<const double> other,
                         double confidence = 0.95, int resamples = 1000, std::uint64_t seed = 1);

// Two-sided Mann-Whitney test that both sets come from one distribution. Exact up to 20 samples
// without ties, else the normal approximation with corrections for ties and continuity.
// 1 when a side is empty, holds a NaN, or all samples are equal.
double mann_whitney_p(std::span<const double> a, std::span<const double> b);

}  // namespace aisp::lab
