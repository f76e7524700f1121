// The rule that selects a kernel: an estimate of the time that each takes, and the smallest wins.
// docs/choosing.md explains it. A pure function of the problem, the machine and the kernels'
// descriptions, for problems of every kind: each states itself as a GEMM.
#pragma once

#include <optional>
#include <span>

#include "tile/device/gemm/admit.hpp"
#include "tile/device/gemm/estimate_sm100.hpp"
#include "tile/device/gemm/estimate_sm90.hpp"
#include "tile/device/launch/machine.hpp"
#include "tile/device/launch/plan.hpp"

namespace aisp::tile::device {

// All constants of the rule.
struct Costs {
  CostsSm90 sm90{};
  CostsSm100 sm100{};
};

// A problem as one kernel would compute it.
struct AsGemm {
  GemmProblem gemm{};
  Costs costs{};
  bool may_store_by_tma = true;  // else also a kernel that could stores from registers
};

// wgmma is an instruction of sm_90 alone, tcgen05 as compiled here of sm_100; what Ampere has, its
// successors have too, and sm_89 brought the one that writes 8-bit floats.
inline bool runs_on(const KernelDescription& kernel, const Machine& machine) {
  if (kernel.family == Family::sm100) return machine.architecture == 100;
  if (kernel.family == Family::sm90) return machine.architecture / 10 == 9;
  const bool fp8 = kernel.out == Element::e4m3 || kernel.out == Element::e5m2;
  return machine.architecture >= (fp8 ? 89 : 80);
}

// The kernel's best order of tiles and slices of K for the problem as the kernel takes it.
struct Estimated {
  LaunchChoice launch{};
  double cycles = 0;
};
inline Estimated estimate(const KernelDescription& kernel, const GemmProblem& problem,
                          const Machine& machine, const Costs& costs = {}) {
  if (kernel.family == Family::sm100) {
    const EstimateSm100 of(kernel, problem, machine.multiprocessors, costs.sm100);
    return {{of.raster(), 1}, of.cycles()};
  }
  const EstimateSm90 of(kernel, problem, machine.multiprocessors, costs.sm90);
  Estimated best{{of.raster(), 1}, of.cycles(1)};
  for (int splits = 2; splits <= of.most_splits(); ++splits)
    if (const double cycles = of.cycles(splits); cycles < best.cycles)
      best = {{of.raster(), splits}, cycles};
  return best;
}

// The first family that takes the problem decides, in it the least time; of equals the first in the
// list. An empty name where no kernel takes it. `as_gemm`: description -> std::optional<AsGemm>.
template <class AsGemmOf>
requires requires(const AsGemmOf& as_gemm, const KernelDescription& kernel) {
  { as_gemm(kernel) } -> std::same_as<std::optional<AsGemm>>;
}
Choice choose(std::span<const KernelDescription> kernels, const Machine& machine,
              const AsGemmOf& as_gemm) {
  using enum Family;
  for (const Family family : {sm100, sm90, sm80, general}) {
    Choice best;
    double least = 0;
    for (const KernelDescription& kernel : kernels) {
      if (kernel.family != family || !runs_on(kernel, machine)) continue;
      const std::optional<AsGemm> taken = as_gemm(kernel);
      if (!taken) continue;
      KernelDescription estimated = kernel;
      estimated.tma_store = kernel.tma_store && taken->may_store_by_tma;
      const Estimated now = estimate(estimated, taken->gemm, machine, taken->costs);
      if (!best.recipe.empty() && now.cycles >= least) continue;
      best = {kernel.name, now.launch};
      least = now.cycles;
    }
    if (!best.recipe.empty()) return best;
  }
  return {};
}

inline Choice choose(const GemmProblem& problem, const Machine& machine,
                     std::span<const KernelDescription> kernels, const Costs& costs = {}) {
  return choose(kernels, machine, [&](const KernelDescription& kernel) -> std::optional<AsGemm> {
    const auto taken = oriented(kernel, problem);
    if (!taken) return std::nullopt;
    return AsGemm{*taken, costs};
  });
}

}  // namespace aisp::tile::device
