// Attention with one call. The kernels are compiled (aisp::gemm); this header needs no nvcc.
//   tile::device::AttentionProblem problem{.batch = b, .query_heads = h, .kv_heads = h, ...};
//   problem.q = {.data = q, .row_stride = d, .head_stride = s * d, .batch_stride = h * s * d};
//   tile::device::attention(problem, stream);
// What the library does not take is refused by an exception whose text has the rule and the
// numbers.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tile/device/attention/problem.hpp"
#include "tile/device/launch/launch_choice.hpp"

namespace tile::device {

using AttentionRun = std::function<void(cudaStream_t)>;

// Made once, run often: running it only launches. It may run on one stream at a time. Memory that
// the plan got itself lives as long as a copy of the plan.
class AttentionPlan {
 public:
  AttentionPlan(std::string kernel, AttentionRun run, std::vector<std::shared_ptr<void>> memory)
      : kernel_(std::move(kernel)), run_(std::move(run)), memory_(std::move(memory)) {}

  void run(cudaStream_t stream = nullptr) const {
    if (run_) run_(stream);
  }
  // Which of the library's ways it takes, for reports: "forward_d128_causal", "decode_d128".
  const std::string& kernel() const { return kernel_; }

 private:
  std::string kernel_;
  AttentionRun run_;  // empty: there is nothing to compute
  std::vector<std::shared_ptr<void>> memory_;
};

// Few queries per sequence go to the kernel that splits the keys between blocks, all others to the
// kernel with roles. Without `allocate` the plan has its own workspace.
AttentionPlan plan_attention(const AttentionProblem& problem, const Allocate& allocate = {});

// Plans and runs; plans are kept as those of gemm() are.
void attention(const AttentionProblem& problem, cudaStream_t stream = nullptr);

}  // namespace tile::device
