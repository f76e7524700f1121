// Which functions the flex targets have, and the numbers in them.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "lab/case/rung.hpp"

namespace aisp::ch14 {

enum class Flex {
  full,
  alibi,
  soft_cap,
  soft_cap_precise,
  causal,
  causal_alibi,
  document,
  prefix,
  window,
};

constexpr auto names_of(Flex) {
  return std::to_array<lab::Name<Flex>>({{Flex::full, "full"},
                                         {Flex::alibi, "alibi"},
                                         {Flex::soft_cap, "soft_cap"},
                                         {Flex::soft_cap_precise, "soft_cap_precise"},
                                         {Flex::causal, "causal"},
                                         {Flex::causal_alibi, "causal_alibi"},
                                         {Flex::document, "document"},
                                         {Flex::prefix, "prefix"},
                                         {Flex::window, "window"}});
}

inline Flex flex_of(const lab::Problem& problem) {
  return lab::value_named<Flex>(problem.size.variant).value_or(Flex::full);
}

inline constexpr double flex_cap = 20, largest_slope = 0.5;
inline constexpr int flex_window = 512;  // keys that a query sees, its own among them

// A prefix that all see: a quarter of the sequence.
inline int prefix_rows(std::int64_t rows) { return static_cast<int>(rows / 4); }

// Twelve documents of different lengths: which one each row belongs to.
inline std::vector<int> document_ids(std::int64_t rows) {
  constexpr std::array<std::int64_t, 12> weights{7, 3, 12, 5, 9, 16, 2, 8, 11, 6, 14, 7};
  std::int64_t all = 0, before = 0;
  for (const std::int64_t weight : weights) all += weight;
  std::vector<int> ids;
  for (std::size_t at = 0; at < weights.size(); ++at) {
    before += weights[at];
    const auto end = static_cast<std::size_t>(rows * before / all);
    ids.resize(std::max(ids.size(), end), static_cast<int>(at));
  }
  return ids;
}

// Documents of the sequence in memory that stays.
inline const int* documents_of(lab::Setup& setup) {
  const std::vector<int> ids = document_ids(setup.problem().inputs[0].shape[2]);
  void* memory = setup.kept(ids.size() * sizeof(int), "which document a row is of, made once");
  lab::check_cuda(cudaMemcpy(memory, ids.data(), ids.size() * sizeof(int), cudaMemcpyHostToDevice),
                  "documents");
  return static_cast<const int*>(memory);
}

}  // namespace aisp::ch14
