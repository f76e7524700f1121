// Device memory of plans that use it alike, and leave it as it was when it was made.
#pragma once

#include <mutex>

#include "tile/device/launch/plan_memory.hpp"

namespace aisp::tile::device {

class PlanWorkspace {
 public:
  std::mutex enqueuing;  // held while a call enqueues kernels that use it, or plans in it

  // The blocks of one plan, in the order in which it asks for them. What planning writes there must
  // not meet a kernel of another plan that still runs.
  Allocate for_plan(cudaStream_t stream) {
    if (!blocks_.empty()) {
      const BesideCapture beside;
      check_cuda(cudaStreamSynchronize(stream), "kernels before a plan");
    }
    return [this, next = std::make_shared<std::size_t>(0)](std::size_t bytes) -> void* {
      const std::size_t at = (*next)++;  // of all copies
      if (at == blocks_.size()) {
        PlanMemory memory;
        memory.get(bytes);
        blocks_.push_back({memory.take().front(), bytes});
      } else if (blocks_[at].bytes != bytes) {
        base::refuse(base::Exit::environment, "plans of one shape ask for ", blocks_[at].bytes,
                     " and ", bytes, " bytes of workspace");
      }
      return blocks_[at].memory.get();
    };
  }

  bool is_empty() const { return blocks_.empty(); }

 private:
  struct Block {
    std::shared_ptr<void> memory;
    std::size_t bytes;
  };
  std::vector<Block> blocks_;
};

}  // namespace aisp::tile::device
