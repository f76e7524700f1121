#include "peers/cublaslt/choose.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace aisp::peers {
namespace {

float median(std::vector<float> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The candidates in the order of their medians over `rounds`.
std::vector<std::size_t> ranked(const std::vector<std::size_t>& candidates, int rounds,
                                const std::function<float(std::size_t)>& milliseconds) {
  std::vector<std::vector<float>> samples(candidates.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < candidates.size(); ++i)
      samples[i].push_back(milliseconds(candidates[i]));
  std::vector<std::pair<float, std::size_t>> medians;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    medians.emplace_back(median(samples[i]), candidates[i]);
  std::sort(medians.begin(), medians.end());
  std::vector<std::size_t> order;
  for (const auto& [unused, candidate] : medians) order.push_back(candidate);
  return order;
}

}  // namespace

std::size_t choose_fastest(std::size_t count,
                           const std::function<float(std::size_t)>& milliseconds) {
  constexpr int first_rounds = 5, last_rounds = 15;
  constexpr std::size_t finalists = 4;
  std::vector<std::size_t> candidates(count);
  std::iota(candidates.begin(), candidates.end(), 0);
  candidates = ranked(candidates, first_rounds, milliseconds);
  candidates.resize(std::min(count, finalists));
  return ranked(candidates, last_rounds, milliseconds).front();
}

}  // namespace aisp::peers
