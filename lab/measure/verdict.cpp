#include "lab/measure/verdict.hpp"

#include <algorithm>
#include <cmath>

namespace aisp::lab {
namespace {

constexpr double significant = 0.01;

bool are_times(std::span<const double> samples) {
  return !samples.empty() &&
         std::ranges::all_of(samples, [](double x) { return std::isfinite(x) && x > 0.0; });
}

Verdict judge(const Comparison& seen, double least_effect) {
  const double effect = 1.0 + least_effect, near = 1.0 + 2.0 * least_effect;
  if (seen.interval.low > 1.0 && seen.ratio >= effect && seen.p < significant)
    return Verdict::faster;
  if (seen.interval.high < 1.0 && seen.ratio <= 1.0 / effect && seen.p < significant)
    return Verdict::slower;
  if (seen.interval.low >= 1.0 / near && seen.interval.high <= near) return Verdict::same;
  return Verdict::ambiguous;
}

}  // namespace

Comparison compare(std::span<const double> base, std::span<const double> other,
                   double least_effect) {
  if (!are_times(base) || !are_times(other)) return {};
  Comparison seen;
  seen.ratio = median({base.begin(), base.end()}) / median({other.begin(), other.end()});
  seen.interval = bootstrap_ratio(base, other);
  seen.p = mann_whitney_p(base, other);
  if (std::min(base.size(), other.size()) >= least_samples)
    seen.verdict = judge(seen, least_effect);
  return seen;
}

}  // namespace aisp::lab
