#include "sim/runtime/launch/occupancy.hpp"

#include <algorithm>

#include "sim/launch/launch.hpp"
#include "sim/runtime/launch/make_call.hpp"

namespace aisp::sim {
namespace {

struct ClusterLaunch {
  std::uint64_t cluster = 1;  // blocks
  int blocks_per_sm = 0;
  std::shared_ptr<const DevicePart> part;
};

ClusterLaunch cluster_launch(Kernel& kernel, const cudaLaunchConfig_t& config) {
  require(config.blockDim.x * config.blockDim.y * config.blockDim.z != 0);
  std::vector<std::byte> arguments(kernel.routine().param_bytes);
  std::vector<void*> pointers(kernel.routine().params.size(), arguments.data());
  cudaLaunchConfig_t plain = config;
  const KernelCall call = make_call(plain, kernel, pointers.data());
  return {
      call.config.cluster.count(),
      blocks_per_sm(kernel, static_cast<int>(call.config.block.count()), config.dynamicSmemBytes),
      call.part};
}

int active_clusters(const ClusterLaunch& launch) {
  const DeviceModel& model = launch.part ? launch.part->model : Runtime::get().model;
  require(model.max_cluster > 1, cudaErrorNotSupported);
  std::uint64_t clusters = 0;
  for (const int group : model.cluster_groups)
    if (launch.cluster <= static_cast<std::uint64_t>(group))
      clusters += static_cast<std::uint64_t>(group) *
                  static_cast<std::uint64_t>(launch.blocks_per_sm) / launch.cluster;
  return static_cast<int>(clusters);
}

}  // namespace

int blocks_per_sm(Kernel& kernel, int threads, std::size_t dynamic_shared) {
  const DeviceModel& model = Runtime::get().model;
  const Routine& routine = kernel.routine();
  if (threads > 1024 || dynamic_shared > static_cast<std::size_t>(dynamic_shared_limit(kernel)))
    return 0;
  return occupancy(model, routine, static_cast<std::uint32_t>(threads),
                   static_cast<std::uint32_t>(dynamic_shared))
      .blocks_per_sm;
}

// The device's answer leaves out what the system reserves of each block's part; so does this one.
std::size_t available_dynamic_shared(Kernel& kernel, int blocks, int threads) {
  const DeviceModel& model = Runtime::get().model;
  const std::int64_t fixed = kernel.routine().static_shared;
  require(blocks <= blocks_per_sm(kernel, threads, 0));
  const std::int64_t each = model.shared_per_sm / blocks / model.shared_unit * model.shared_unit;
  return static_cast<std::size_t>(
      std::min<std::int64_t>(each - fixed, dynamic_shared_limit(kernel)));
}

int active_clusters(Kernel& kernel, const cudaLaunchConfig_t& config) {
  return active_clusters(cluster_launch(kernel, config));
}

int largest_cluster(Kernel& kernel, const cudaLaunchConfig_t& config) {
  ClusterLaunch launch = cluster_launch(kernel, config);
  const DeviceModel& model = Runtime::get().model;
  const auto most = static_cast<std::uint64_t>(
      kernel.attributes().non_portable_cluster ? model.max_cluster_nonportable : model.max_cluster);
  for (launch.cluster = most; launch.cluster > 1; launch.cluster /= 2)
    if (active_clusters(launch) > 0) break;
  return static_cast<int>(launch.cluster);
}

}  // namespace aisp::sim
