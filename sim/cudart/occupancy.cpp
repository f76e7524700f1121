// Occupancy queries, by the rules and with the error codes of the hardware.
#include <algorithm>

#include "sim/cudart/device.hpp"
#include "sim/cudart/module.hpp"
#include "sim/cudart/runtime.hpp"

namespace sim {

int blocks_per_sm(Kernel& kernel, int threads, std::size_t dynamic_shared) {
  const DeviceModel& model = Runtime::get().model;
  const Routine& routine = kernel.routine();
  if (threads > 1024 || dynamic_shared > static_cast<std::size_t>(dynamic_shared_limit(kernel)))
    return 0;
  return occupancy(model, routine, static_cast<std::uint32_t>(threads),
                   static_cast<std::uint32_t>(dynamic_shared))
      .blocks_per_sm;
}

namespace {

struct ClusterLaunch {
  std::uint64_t cluster = 1;  // blocks
  int blocks_per_sm = 0;
};

ClusterLaunch cluster_launch(Kernel& kernel, const cudaLaunchConfig_t& config) {
  require(config.blockDim.x * config.blockDim.y * config.blockDim.z != 0);
  std::vector<std::byte> arguments(kernel.routine().param_bytes);
  std::vector<void*> pointers(kernel.routine().params.size(), arguments.data());
  cudaLaunchConfig_t plain = config;
  const KernelCall call = make_call(plain, kernel, pointers.data());
  return {
      call.config.cluster.count(),
      blocks_per_sm(kernel, static_cast<int>(call.config.block.count()), config.dynamicSmemBytes)};
}

int active_clusters(const ClusterLaunch& launch) {
  const DeviceModel& model = Runtime::get().model;
  require(model.max_cluster > 1, cudaErrorNotSupported);
  std::uint64_t clusters = 0;
  for (const int group : model.cluster_groups)
    if (launch.cluster <= static_cast<std::uint64_t>(group))
      clusters += static_cast<std::uint64_t>(group) *
                  static_cast<std::uint64_t>(launch.blocks_per_sm) / launch.cluster;
  return static_cast<int>(clusters);
}

}  // namespace
}  // namespace sim

using sim::api;
using sim::Kernel;
using sim::require;
using sim::Runtime;

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* symbol,
                                                                   int threads,
                                                                   size_t dynamic_shared,
                                                                   unsigned flags) {
  return api([&](Runtime&) {
    require(blocks != nullptr && threads > 0 && (flags & ~1u) == 0);
    *blocks = sim::blocks_per_sm(sim::kernel_of(symbol), threads, dynamic_shared);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* symbol,
                                                          int threads, size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, symbol, threads,
                                                                dynamic_shared, 0);
}

// The device's answer leaves out what the system reserves of each block's share; so does this one.
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* symbol, int blocks,
                                                      int threads) {
  return api([&](Runtime& runtime) {
    require(bytes != nullptr && blocks > 0 && threads > 0);
    Kernel& kernel = sim::kernel_of(symbol);
    const sim::DeviceModel& model = runtime.model;
    const std::int64_t fixed = kernel.routine().static_shared;
    require(blocks <= sim::blocks_per_sm(kernel, threads, 0));
    const std::int64_t share = model.shared_per_sm / blocks / model.shared_unit * model.shared_unit;
    *bytes = static_cast<size_t>(
        std::min<std::int64_t>(share - fixed, sim::dynamic_shared_limit(kernel)));
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* symbol,
                                           const cudaLaunchConfig_t* config) {
  return api([&](Runtime&) {
    require(clusters != nullptr && config != nullptr);
    *clusters = sim::active_clusters(sim::cluster_launch(sim::kernel_of(symbol), *config));
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* blocks, const void* symbol,
                                                 const cudaLaunchConfig_t* config) {
  return api([&](Runtime& runtime) {
    require(blocks != nullptr && config != nullptr);
    Kernel& kernel = sim::kernel_of(symbol);
    sim::ClusterLaunch launch = sim::cluster_launch(kernel, *config);
    const sim::DeviceModel& model = runtime.model;
    const auto most = static_cast<std::uint64_t>(kernel.attributes().non_portable_cluster
                                                     ? model.max_cluster_nonportable
                                                     : model.max_cluster);
    for (launch.cluster = most; launch.cluster > 1; launch.cluster /= 2)
      if (sim::active_clusters(launch) > 0) break;
    *blocks = static_cast<int>(launch.cluster);
    return cudaSuccess;
  });
}
