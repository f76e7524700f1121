// Where a plan's device memory comes from: from the caller, or from the runtime and then kept.
#pragma once

#include <memory>
#include <vector>

#include "tile/device/launch/launch_choice.hpp"
#include "tile/device/launch/tensor_map.hpp"

namespace aisp::tile::device {

class PlanMemory {
 public:
  explicit PlanMemory(const Allocate& given) : given_(given) {}
  PlanMemory(const PlanMemory&) = delete;

  // Good as long as this object.
  Allocate allocate() {
    return [this](std::size_t bytes) { return get(bytes); };
  }
  // What a plan wrote there was written on the default stream, which a stream of the caller's need
  // not wait for.
  void settle() const {
    if (used_) check_cuda(cudaStreamSynchronize(nullptr), "workspace of a plan");
  }
  std::vector<std::shared_ptr<void>> take() { return std::move(owned_); }

 private:
  void* get(std::size_t bytes) {
    used_ = true;
    if (given_) return given_(bytes);
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, bytes), "workspace of a plan");
    owned_.emplace_back(memory, [](void* old) { cudaFree(old); });
    return memory;
  }

  const Allocate& given_;
  std::vector<std::shared_ptr<void>> owned_;
  bool used_ = false;
};

}  // namespace aisp::tile::device
