#include "binding/c/plans.hpp"

namespace aisp::binding {

bool captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  tile::device::check_cuda(cudaStreamIsCapturing(stream, &status), "state of the stream");
  return status != cudaStreamCaptureStatusNone;
}

void keep_for_good(std::any plan) {
  static auto* const guard = new std::mutex;
  static auto* const plans = new std::vector<std::any>;
  const std::lock_guard lock(*guard);
  plans->push_back(std::move(plan));
}

}  // namespace aisp::binding
