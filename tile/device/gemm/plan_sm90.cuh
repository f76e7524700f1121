// What a plan of a recipe for sm_90 has of its own: the kernel, and a workspace for split-K slices.
#pragma once

#include "tile/device/gemm/plan.cuh"
#include "tile/kernel/gemm_sm90_single_role.cuh"
#include "tile/schedule/split_k.hpp"
#include "tile/schedule/stream_k.hpp"

namespace aisp::tile::device {

// Accumulators of split-K slices, behind the flags that say they are there; flags begin as 0.
template <Sm90Config config>
SplitKWorkspace split_k_workspace(int slots, PlanMemory& plan) {
  if (slots == 0) return {};
  const std::size_t flag_bytes =
      (static_cast<std::size_t>(slots) * SplitKSlots<config>::warpgroups * 4 + 255) / 256 * 256;
  const std::size_t accumulator_bytes =
      static_cast<std::size_t>(slots) * SplitKSlots<config>::bytes;
  char* memory = static_cast<char*>(plan.cleared(flag_bytes + accumulator_bytes, flag_bytes));
  return {memory + flag_bytes, reinterpret_cast<std::uint32_t*>(memory)};
}

// The start of dynamic shared memory is rounded up to the swizzle's 1024 bytes.
template <class Recipe>
constexpr std::size_t shared_bytes = sizeof(Sm90Shared<Recipe>) + 1024;

template <class Recipe>
struct GemmKernel<Recipe, Sm90Config> {
  static constexpr Sm90Config config = Recipe::config;

  static Kernel<GemmParams<Recipe>> launch() {
    if constexpr (!keeps_rules<config>)
      return {};  // the compile has ended with the broken rule; a kernel would only add to its
                  // message
    else if constexpr (Recipe::MainLoop::loads_operands)
      return {gemm_sm90_single_role<Recipe>, single_role_threads<config>, shared_bytes<Recipe>};
    else
      return {gemm_sm90<Recipe>, config.threads(), shared_bytes<Recipe>, config.blocks()};
  }
  static BatchMaps operands(const GemmProblem& problem) { return operand_maps<config>(problem); }
  static BatchOutput output(const GemmProblem& problem) { return batch_output<config>(problem); }
  static SplitKWorkspace workspace(int slots, PlanMemory& memory) {
    if (Recipe::MainLoop::loads_operands && slots > 0)
      base::refuse(base::Exit::usage, "the kernel without roles computes whole tiles, and ", slots,
                   " split-K slices were asked for: choose a schedule that does not split K");
    return split_k_workspace<config>(slots, memory);
  }
};

}  // namespace aisp::tile::device
