// What a comparison of two rungs comes to. "Ambiguous" is a verdict of its own: the samples neither
// show a difference worth naming nor rule one out.
#pragma once

#include <span>

#include "lab/case/names.hpp"
#include "lab/measure/statistics.hpp"

namespace aisp::lab {

enum class Verdict { faster, same, slower, ambiguous };

constexpr auto names_of(Verdict) {
  return std::to_array<Name<Verdict>>({{Verdict::faster, "faster"},
                                       {Verdict::same, "same"},
                                       {Verdict::slower, "slower"},
                                       {Verdict::ambiguous, "ambiguous"}});
}

// How `other` stands against `base`: a ratio of 2 means that `other` takes half the time.
struct Comparison {
  Verdict verdict = Verdict::ambiguous;
  double ratio = 0.0;   // median(base) / median(other); 0 where the samples give none
  Interval interval{};  // 95 % bootstrap interval of the ratio
  double p = 1.0;       // Mann-Whitney, two-sided
};

inline constexpr int least_samples = 5;  // a side with fewer is ambiguous whatever it shows

// faster:  the interval lies above 1, the ratio is at least 1 + least_effect, and p < 0.01
// slower:  the mirror image
// same:    the interval lies inside [1 / (1 + 2 least_effect), 1 + 2 least_effect]
// A sample that is not a positive finite time makes the comparison ambiguous.
Comparison compare(std::span<const double> base, std::span<const double> other,
                   double least_effect = 0.01);

}  // namespace aisp::lab
