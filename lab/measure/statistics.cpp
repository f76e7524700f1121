#include "lab/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/refuse.hpp"
#include "lab/case/random.hpp"

namespace aisp::lab {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

bool no_numbers(std::span<const double> samples) {
  return samples.empty() || std::ranges::any_of(samples, [](double x) { return std::isnan(x); });
}

double quantile_of_sorted(const std::vector<double>& sorted, double fraction) {
  const double place = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, sorted.size() - 1);
  // Equal neighbours need no interpolation, which would turn two infinities into a NaN.
  if (sorted[below] == sorted[above]) return sorted[below];
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// Redraws a set with replacement. The set is sorted once and a redrawn set is kept as how often
// each place was drawn, so its median is a walk over counts instead of another sort.
class Redrawn {
 public:
  Redrawn(std::span<const double> samples, std::uint64_t seed, std::uint32_t stream)
      : sorted_(samples.begin(), samples.end()),
        counts_(samples.size()),
        seed_(seed),
        stream_(stream) {
    std::ranges::sort(sorted_);
  }

  double next_median() {
    std::ranges::fill(counts_, 0u);
    const std::size_t count = sorted_.size();
    for (std::size_t drawn = 0; drawn < count; drawn += 4) {
      const Philox4 bits = philox(seed_, stream_, counter_++);
      for (std::size_t i = 0; i < std::min<std::size_t>(4, count - drawn); ++i)
        ++counts_[(bits[i] * static_cast<std::uint64_t>(count)) >> 32];
    }
    std::size_t place = 0, reached = counts_[0];
    while (reached <= (count - 1) / 2) reached += counts_[++place];
    const double lower = sorted_[place];
    while (reached <= count / 2) reached += counts_[++place];
    return lower == sorted_[place] ? lower : 0.5 * (lower + sorted_[place]);
  }

 private:
  std::vector<double> sorted_;
  std::vector<std::uint32_t> counts_;
  std::uint64_t seed_, counter_ = 0;
  std::uint32_t stream_;
};

template <class Draw>
Interval percentiles(double confidence, int resamples, Draw draw) {
  if (!(confidence > 0.0 && confidence < 1.0) || resamples < 1)
    throw std::invalid_argument(base::say("bootstrap: confidence ", confidence, " and ", resamples,
                                          " resamples; needs 0 < confidence < 1 and 1 or more"));
  std::vector<double> drawn(static_cast<std::size_t>(resamples));
  std::ranges::generate(drawn, draw);
  std::ranges::sort(drawn);
  const double tail = 0.5 * (1.0 - confidence);
  return {quantile_of_sorted(drawn, tail), quantile_of_sorted(drawn, 1.0 - tail)};
}

// Ways to reach each U with n and m distinct samples: f(n, m, u) = f(n-1, m, u-m) + f(n, m-1, u).
std::vector<double> rank_sum_counts(std::size_t n, std::size_t m) {
  std::vector<std::vector<double>> ways(m + 1, std::vector<double>(n * m + 1, 0.0));
  for (auto& row : ways) row[0] = 1.0;  // no samples on the first side: U is 0
  for (std::size_t i = 1; i <= n; ++i)
    for (std::size_t j = 1; j <= m; ++j)
      for (std::size_t u = n * m + 1; u-- > 0;)
        ways[j][u] = (u >= j ? ways[j][u - j] : 0.0) + ways[j - 1][u];
  return ways[m];
}

double exact_p(std::size_t n, std::size_t m, double u) {
  const auto counts = rank_sum_counts(n, m);
  double all = 0.0, tail = 0.0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    all += counts[i];
    if (static_cast<double>(i) <= u) tail += counts[i];
  }
  return std::min(1.0, 2.0 * tail / all);
}

}  // namespace

double quantile(std::vector<double> samples, double fraction) {
  if (!(fraction >= 0.0 && fraction <= 1.0))
    throw std::invalid_argument(base::say("quantile: fraction ", fraction, " is not in [0, 1]"));
  if (no_numbers(samples)) return not_a_number;
  std::ranges::sort(samples);
  return quantile_of_sorted(samples, fraction);
}

double median(std::vector<double> samples) { return quantile(std::move(samples), 0.5); }

Interval bootstrap_median(std::span<const double> samples, double confidence, int resamples,
                          std::uint64_t seed) {
  if (no_numbers(samples)) return {not_a_number, not_a_number};
  Redrawn redrawn(samples, seed, 0);
  return percentiles(confidence, resamples, [&] { return redrawn.next_median(); });
}

Interval bootstrap_ratio(std::span<const double> base, std::span<const double> other,
                         double confidence, int resamples, std::uint64_t seed) {
  if (no_numbers(base) || no_numbers(other)) return {not_a_number, not_a_number};
  Redrawn redrawn_base(base, seed, 0), redrawn_other(other, seed, 1);
  return percentiles(confidence, resamples, [&] {
    const double numerator = redrawn_base.next_median();
    return numerator / redrawn_other.next_median();
  });
}

double mann_whitney_p(std::span<const double> a, std::span<const double> b) {
  if (no_numbers(a) || no_numbers(b)) return 1.0;
  struct Sample {
    double value;
    bool from_a;
  };
  std::vector<Sample> pooled;
  for (const double x : a) pooled.push_back({x, true});
  for (const double x : b) pooled.push_back({x, false});
  std::ranges::sort(pooled, {}, &Sample::value);

  double rank_sum = 0.0, tie_sum = 0.0;  // ranks of a; t^3 - t over groups of equal samples
  for (std::size_t first = 0, last = 0; first < pooled.size(); first = last) {
    while (last < pooled.size() && pooled[last].value == pooled[first].value) ++last;
    const double shared_rank = 0.5 * static_cast<double>(first + 1 + last);
    for (std::size_t i = first; i < last; ++i)
      if (pooled[i].from_a) rank_sum += shared_rank;
    const auto equal = static_cast<double>(last - first);
    tie_sum += equal * (equal * equal - 1.0);
  }

  const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size()), all = n + m;
  const double u = rank_sum - 0.5 * n * (n + 1.0);
  if (tie_sum == 0.0 && pooled.size() <= 20)
    return exact_p(a.size(), b.size(), std::min(u, n * m - u));
  const double variance = n * m / 12.0 * (all + 1.0 - tie_sum / (all * (all - 1.0)));
  if (!(variance > 0.0)) return 1.0;
  const double distance = std::max(0.0, std::abs(u - 0.5 * n * m) - 0.5);
  return std::erfc(distance / std::sqrt(2.0 * variance));
}

}  // namespace aisp::lab
