// A planned attention: what to launch, and the memory that it works in.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace aisp::tile::device {

using AttentionRun = std::function<void(cudaStream_t)>;

// Made once, run often: running it only launches. It may run on one stream at a time. Memory that
// the plan got itself lives as long as a copy of the plan.
class AttentionPlan {
 public:
  AttentionPlan(std::string kernel, AttentionRun run)
      : kernel_(std::move(kernel)), run_(std::move(run)) {}

  void run(cudaStream_t stream = nullptr) const {
    if (run_) run_(stream);
  }
  // Which of the library's ways it takes, for reports: "forward_d128_causal", "decode_d128".
  const std::string& kernel() const { return kernel_; }

 private:
  std::string kernel_;
  AttentionRun run_;  // empty: there is nothing to compute
};

}  // namespace aisp::tile::device
