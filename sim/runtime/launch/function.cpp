#include "sim/runtime/launch/function.hpp"

#include <algorithm>

#include "sim/runtime/launch/make_call.hpp"

namespace aisp::sim {
namespace {

// What a block of the kernel may have: the bound in its source, or what its registers allow.
int most_threads(Kernel& kernel) {
  const Routine& routine = kernel.routine();
  if (routine.max_threads != 0) return routine.max_threads;
  const KernelResources* resources = kernel.resources();
  if (resources == nullptr) return 1024;
  const DeviceModel& model = Runtime::get().model;
  const int per_warp = (resources->registers + 7) / 8 * 8 * lanes;
  const int warps = model.registers_per_block / std::max(per_warp, 1);
  return std::min(1024, warps / 4 * 4 * lanes);  // four partitions hold the same number
}

}  // namespace

cudaFuncAttributes attributes_of(Kernel& kernel) {
  const DeviceModel& model = Runtime::get().model;
  const Routine& routine = kernel.routine();
  const KernelResources* resources = kernel.resources();
  cudaFuncAttributes attributes{};
  attributes.sharedSizeBytes = routine.static_shared;
  attributes.localSizeBytes =
      resources != nullptr ? static_cast<size_t>(resources->local_bytes) : routine.frame_bytes;
  attributes.maxThreadsPerBlock = most_threads(kernel);
  attributes.numRegs = std::clamp(
      routine.registers_32, 1,
      routine.max_registers > 0 ? routine.max_registers : model.max_registers_per_thread);
  attributes.ptxVersion = kernel.program().architecture;
  attributes.binaryVersion = model.major * 10 + model.minor;
  attributes.maxDynamicSharedSizeBytes = dynamic_shared_limit(kernel);
  const KernelAttributes& own = kernel.attributes();
  attributes.preferredShmemCarveout = own.carveout;
  attributes.clusterDimMustBeSet = routine.required_cluster[0] != 0;
  const int* cluster =
      routine.required_cluster[0] != 0 ? routine.required_cluster : own.required_cluster;
  attributes.requiredClusterWidth = cluster[0];
  attributes.requiredClusterHeight = cluster[1];
  attributes.requiredClusterDepth = cluster[2];
  attributes.clusterSchedulingPolicyPreference = own.cluster_policy;
  attributes.nonPortableClusterSizeAllowed = own.non_portable_cluster;
  return attributes;
}

void set_attribute(Kernel& kernel, cudaFuncAttribute attribute, int value) {
  const DeviceModel& model = Runtime::get().model;
  const auto set_cluster = [&](int axis) {
    require(value >= 0 && kernel.routine().required_cluster[0] == 0);
    kernel.attributes().required_cluster[axis] = value;
  };
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      require(value >= 0 && value + static_cast<std::int64_t>(kernel.routine().static_shared) <=
                                model.shared_per_block_optin);
      kernel.attributes().max_dynamic_shared = value;
      return;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      require(value >= -1 && value <= 100);
      kernel.attributes().carveout = value;
      return;
    case cudaFuncAttributeRequiredClusterWidth:
      return set_cluster(0);
    case cudaFuncAttributeRequiredClusterHeight:
      return set_cluster(1);
    case cudaFuncAttributeRequiredClusterDepth:
      return set_cluster(2);
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
      require(value == 0 || value == 1);
      kernel.attributes().non_portable_cluster = value != 0;
      return;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      require(value >= cudaClusterSchedulingPolicyDefault &&
              value <= cudaClusterSchedulingPolicyLoadBalancing);
      kernel.attributes().cluster_policy = value;
      return;
    default:
      throw ApiError{cudaErrorInvalidValue};
  }
}

}  // namespace aisp::sim
