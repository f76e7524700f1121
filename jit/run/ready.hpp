// A variant that is compiled and loaded: its guard, and how it is launched.
#pragma once

#include <memory>

#include "jit/run/admission.hpp"
#include "jit/run/admitted_call.hpp"
#include "jit/run/grid.hpp"
#include "jit/run/guard.hpp"
#include "jit/run/kernel.hpp"

namespace aisp::jit {

// What a launch needs of a variant, whoever made it.
struct LaunchPlan {
  std::string program, kernel;
  const Function *function = nullptr,
                 *traced = nullptr;  // behind and before the passes; outlive it
  int threads = 0, shared_bytes = 0;
  std::vector<BoundArray> arrays;          // of the array parameters
  std::set<std::pair<int, int>> in_place;  // inputs that an output may be
};

inline constexpr std::size_t most_arrays = 16;

class Ready {
 public:
  Ready(LaunchPlan plan, Guard guard, const Compiled& compiled);

  const Guard& guard() const { return guard_; }
  // Refuses tensors that this kernel cannot take, and what the CUDA runtime refuses.
  void launch(cudaStream_t stream, std::span<const Tensor> tensors) const;
  // Launches where the call before was the same; `architecture` and `choices` as in CallFacts.
  bool repeat(cudaStream_t stream, std::span<const Tensor> tensors, std::uint32_t architecture,
              std::uint32_t choices) const;

 private:
  std::int64_t admit(std::span<const Tensor> tensors) const;  // how many blocks it has
  void enqueue(cudaStream_t stream, std::span<const Tensor> tensors, std::int64_t blocks) const;

  LaunchPlan plan_;
  Guard guard_;
  Admission admission_;
  GridForm grid_;
  mutable AdmittedCall before_;
  std::vector<std::int64_t> counts_;  // of the arrays
  Module module_;
  const void* symbol_;
};

}  // namespace aisp::jit
