// A variant that is compiled and loaded: its guard, and how it is launched.
#pragma once

#include <memory>

#include "jit/run/grid.hpp"
#include "jit/run/guard.hpp"
#include "jit/run/kernel.hpp"

namespace aisp::jit {

// What a launch needs of a variant, whoever made it.
struct LaunchPlan {
  std::string program, kernel;
  const Function* function = nullptr;  // outlives it
  int threads = 0, shared_bytes = 0;
  std::vector<const void*> arrays;   // device memory of the array parameters
  std::vector<std::int64_t> counts;  // of their elements
};

inline constexpr std::size_t most_arrays = 16;

class Ready {
 public:
  Ready(LaunchPlan plan, Guard guard, const Compiled& compiled);

  const Guard& guard() const { return guard_; }
  // Refuses tensors that this kernel cannot take, and what the CUDA runtime refuses.
  void launch(cudaStream_t stream, std::span<const Tensor> tensors) const;

 private:
  void admit(std::span<const Tensor> tensors) const;

  LaunchPlan plan_;
  Guard guard_;
  GridForm grid_;
  std::vector<bool> written_;
  Module module_;
  const void* symbol_;
};

}  // namespace aisp::jit
