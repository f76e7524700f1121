#include "jit/run/timer.hpp"

#include <algorithm>

namespace aisp::jit {

static double quantile(std::vector<double>& samples, double part) {
  std::sort(samples.begin(), samples.end());
  return samples[static_cast<std::size_t>(part * static_cast<double>(samples.size() - 1) + 0.5)];
}

bool is_faster(std::vector<double> a, std::vector<double> b) {
  return !a.empty() && !b.empty() && quantile(a, 0.75) < 0.99 * quantile(b, 0.25);
}

double median_of(std::vector<double> samples) {
  return samples.empty() ? 0 : quantile(samples, 0.5);
}

}  // namespace aisp::jit
