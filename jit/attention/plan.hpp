// Attention with functions, compiled and planned for one problem.
#pragma once

#include <memory>

#include "jit/attention/kernels.hpp"
#include "jit/attention/options.hpp"
#include "jit/inspection.hpp"
#include "tile/device/launch/launch_choice.hpp"

namespace aisp::jit {

// A block mask, to be looked at.
struct BlockMaskCopy {
  std::vector<std::vector<unsigned>> lists;  // see tile/collective/attention/lists.hpp
  std::vector<int> order;                    // numbers of lists, longest first
  int row_tiles = 0, blocks = 0, warpgroups = 0;

  // Blocks of keys that the mask leaves, and all there are, over all lists.
  struct Count {
    std::int64_t seen = 0, whole = 0, all = 0;  // whole: for all their rows
  };
  Count count() const;
};

// Made once, run often, on one stream at a time. Memory that it got itself lives as long as a copy.
class FlexPlan {
 public:
  // Makes the block mask where it may have changed, and attends.
  void run(cudaStream_t stream = nullptr) const;

  // The two apart, for whoever knows that what the mask reads is what it was. A mask of positions
  // alone is made with the plan.
  void make_block_mask(cudaStream_t stream = nullptr) const;
  void attend(cudaStream_t stream = nullptr) const;
  bool has_block_mask() const;
  BlockMaskCopy block_mask() const;  // as it is now; waits for the device

  const std::string& kernel() const;        // its name: flex_forward_bf16_d128
  std::vector<Inspection> inspect() const;  // of each kernel
  const AttentionVariant& variant() const;
  struct State;

 private:
  friend class FlexAttention;
  explicit FlexPlan(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

// Functions for any number of problems. Copies share what is compiled.
class FlexAttention {
 public:
  FlexAttention(ScoreFunctions functions, FlexOptions options = {});
  // Other arrays for functions that compute the same: shares what is compiled and loaded.
  FlexAttention(const FlexAttention& like, ScoreFunctions functions);

  // Refuses what the library refuses, functions whose arrays are too short, and types without a
  // kernel, by an exception whose text has the rule and the numbers.
  FlexPlan plan(const tile::device::AttentionProblem& problem,
                const tile::device::Allocate& allocate = {}) const;
  // Plans and runs; plans are kept as those of tile::device::attention() are.
  void operator()(const tile::device::AttentionProblem& problem,
                  cudaStream_t stream = nullptr) const;

  const ScoreFunctions& functions() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// In one call. What was compiled and planned is kept for the next call with functions that compute
// the same with the same arrays.
void attention(const ScoreFunctions& functions, const tile::device::AttentionProblem& problem,
               cudaStream_t stream = nullptr, const FlexOptions& options = {});

}  // namespace aisp::jit
