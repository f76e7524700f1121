#include "binding/c/plans.hpp"

namespace aisp::binding {

using tile::device::check_cuda;

bool captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check_cuda(cudaStreamIsCapturing(stream, &status), "state of the stream");
  return status != cudaStreamCaptureStatusNone;
}

int current_device() {
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

void keep_for_good(std::any plan) {
  static auto* const guard = new std::mutex;
  static auto* const plans = new std::vector<std::any>;
  const std::lock_guard lock(*guard);
  plans->push_back(std::move(plan));
}

tile::device::Allocate Workspace::for_plan(cudaStream_t stream) {
  if (!blocks_.empty()) check_cuda(cudaStreamSynchronize(stream), "kernels before a plan");
  return [this, next = std::make_shared<std::size_t>(0)](std::size_t bytes) -> void* {
    const std::size_t at = (*next)++;  // of all copies
    if (at == blocks_.size()) {
      tile::device::PlanMemory memory;
      memory.get(bytes);
      blocks_.push_back({memory.take().front(), bytes});
    } else if (blocks_[at].bytes != bytes) {
      base::refuse(base::Exit::environment, "plans of one shape ask for ", blocks_[at].bytes,
                   " and ", bytes, " bytes of workspace");
    }
    return blocks_[at].memory.get();
  };
}

}  // namespace aisp::binding
