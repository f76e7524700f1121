#include "lab/profile/kernels.hpp"

#include "lab/profile/cupti.hpp"
#include "lab/profile/demangle.hpp"

namespace aisp::lab {

std::vector<KernelRecord> kernels_of(const std::function<void()>& work) {
  std::vector<KernelRecord> kernels;
  const auto take = [&](const CUpti_Activity& activity) {
    if (activity.kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) return;
    const auto& kernel = reinterpret_cast<const CUpti_ActivityKernel10&>(activity);
    kernels.push_back({.name = readable(kernel.name),
                       .grid = {kernel.gridX, kernel.gridY, kernel.gridZ},
                       .block = {kernel.blockX, kernel.blockY, kernel.blockZ},
                       .registers = kernel.registersPerThread,
                       .static_shared = kernel.staticSharedMemory,
                       .dynamic_shared = kernel.dynamicSharedMemory,
                       .local_bytes = kernel.localMemoryPerThread,
                       .us = static_cast<double>(kernel.end - kernel.start) * 1e-3});
  };
  {
    const Activities activities({.needed = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL},
                                 .way_out = "--profile none runs without it"},
                                take);
    work();
  }  // the records are here when it has ended
  return kernels;
}

}  // namespace aisp::lab
