// A plan's device memory: from the caller, or from the runtime and then kept by the plan. Planning
// is safe at any time: what is written there is there before the plan is, whatever stream it then
// runs on, and a capture that is under way neither forbids it nor records it.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "tile/device/launch/launch_choice.hpp"
#include "tile/device/launch/tensor_map.hpp"

namespace aisp::tile::device {

// Memory that is freed with the last copy of the plan.
using OwnedMemory = std::vector<std::shared_ptr<void>>;

// While it lives, this thread may allocate and wait although a stream is being captured.
// It does not throw, for memory is freed under it too: where the mode cannot be changed, what is
// called under it says why.
class BesideCapture {
 public:
  BesideCapture() : changed_(cudaThreadExchangeStreamCaptureMode(&mode_) == cudaSuccess) {}
  ~BesideCapture() {
    if (changed_) cudaThreadExchangeStreamCaptureMode(&mode_);
  }
  BesideCapture(const BesideCapture&) = delete;
  BesideCapture& operator=(const BesideCapture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
  bool changed_;
};

class PlanMemory {
 public:
  explicit PlanMemory(Allocate given = {}) : given_(std::move(given)) {}
  PlanMemory(const PlanMemory&) = delete;
  PlanMemory& operator=(const PlanMemory&) = delete;

  void* get(std::size_t bytes) {
    const BesideCapture beside;
    if (given_) return given_(bytes);
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, bytes), "workspace of a plan");
    // cudaFree waits until no kernel of the device can use the memory any more.
    owned_.emplace_back(memory, [](void* old) {
      const BesideCapture freeing;
      cudaFree(old);
    });
    return memory;
  }
  void* cleared(std::size_t bytes, std::size_t clear) {
    void* const memory = get(bytes);
    write([&](cudaStream_t stream) { return cudaMemsetAsync(memory, 0, clear, stream); });
    return memory;
  }
  void* copy_of(const void* from, std::size_t bytes) {
    void* const memory = get(bytes);
    write([&](cudaStream_t stream) {
      return cudaMemcpyAsync(memory, from, bytes, cudaMemcpyHostToDevice, stream);
    });
    return memory;
  }
  // Enqueues and waits, on a stream of its own: the default stream must not be used while another
  // is captured, and a stream of the caller's need not wait for it.
  template <class Write>
  static void write(const Write& enqueue) {
    const BesideCapture beside;
    cudaStream_t stream = nullptr;
    check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream of a plan");
    cudaError_t error = enqueue(stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    check_cuda(error, "what a plan writes to its workspace");
  }

  OwnedMemory take() { return std::move(owned_); }

 private:
  Allocate given_;  // empty: the runtime
  OwnedMemory owned_;
};

}  // namespace aisp::tile::device
