// Plans attention on Blackwell: tensor maps, the order of tiles, launch.
#pragma once

#include "tile/device/attention/forward_params.hpp"
#include "tile/device/launch/launch.cuh"
#include "tile/device/launch/plan.hpp"
#include "tile/kernel/attention_sm100.cuh"

namespace aisp::tile::device {

// Tiles that take equally long are given out beforehand, to blocks that stay. Where a mask or the
// sequences' lengths make some longer, each has a block of its own, the longest first: the device
// gives the next one to whichever multiprocessor is done.
template <class Recipe>
Plan plan_attention_sm100(const AttentionProblem& problem, const std::string& name) {
  constexpr Sm100AttentionConfig config = Recipe::config;
  const AttentionForward all{.params = attention_params(config.operands(), problem),
                             .tiles = tiles_of(problem, config.block_rows()),
                             .next = nullptr};
  const Kernel<AttentionForward> kernel{attention_sm100<Recipe>, config.threads(),
                                        sm100_attention_shared_bytes<config>};
  const int tiles = all.tiles.count(), fit = resident_clusters(kernel);
  const bool equal = problem.window_right == unlimited && problem.window_left == unlimited &&
                     problem.query_starts == nullptr && problem.kv_lengths == nullptr;
  const int blocks = equal && tiles > fit ? fit : tiles;
  return {{name, {}},
          [all, kernel, blocks](cudaStream_t stream) { launch(kernel, all, blocks, stream); }};
}

}  // namespace aisp::tile::device
