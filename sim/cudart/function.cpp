// Kernels as objects: handles, names, attributes.
#include <algorithm>

#include "sim/cudart/module.hpp"
#include "sim/cudart/runtime.hpp"

using sim::api;
using sim::Kernel;
using sim::require;
using sim::Routine;
using sim::Runtime;

namespace {

// What a block of the kernel may have: the bound in its source, or what its registers allow.
int most_threads(Kernel& kernel) {
  const Routine& routine = kernel.routine();
  if (routine.max_threads != 0) return routine.max_threads;
  const sim::KernelResources* resources = kernel.resources();
  if (resources == nullptr) return 1024;
  const sim::DeviceModel& model = Runtime::get().model;
  const int per_warp = (resources->registers + 7) / 8 * 8 * sim::lanes;
  const int warps = model.registers_per_block / std::max(per_warp, 1);
  return std::min(1024, warps / 4 * 4 * sim::lanes);  // four partitions hold the same number
}

void set(Kernel& kernel, cudaFuncAttribute attribute, int value) {
  const sim::DeviceModel& model = Runtime::get().model;
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
      throw sim::ApiError{cudaErrorInvalidValue};
  }
}

}  // namespace

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* symbol) {
  return api([&](Runtime& runtime) {
    require(attributes != nullptr);
    Kernel& kernel = sim::kernel_of(symbol);
    const Routine& routine = kernel.routine();
    const sim::KernelResources* resources = kernel.resources();
    *attributes = {};
    attributes->sharedSizeBytes = routine.static_shared;
    attributes->localSizeBytes =
        resources != nullptr ? static_cast<size_t>(resources->local_bytes) : routine.frame_bytes;
    attributes->maxThreadsPerBlock = most_threads(kernel);
    attributes->numRegs = std::clamp(
        routine.registers_32, 1,
        routine.max_registers > 0 ? routine.max_registers : runtime.model.max_registers_per_thread);
    attributes->ptxVersion = kernel.program().architecture;
    attributes->binaryVersion = runtime.model.major * 10 + runtime.model.minor;
    attributes->maxDynamicSharedSizeBytes = sim::dynamic_shared_limit(kernel);
    const sim::KernelAttributes& own = kernel.attributes();
    attributes->preferredShmemCarveout = own.carveout;
    attributes->clusterDimMustBeSet = routine.required_cluster[0] != 0;
    const int* cluster =
        routine.required_cluster[0] != 0 ? routine.required_cluster : own.required_cluster;
    attributes->requiredClusterWidth = cluster[0];
    attributes->requiredClusterHeight = cluster[1];
    attributes->requiredClusterDepth = cluster[2];
    attributes->clusterSchedulingPolicyPreference = own.cluster_policy;
    attributes->nonPortableClusterSizeAllowed = own.non_portable_cluster;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* symbol, cudaFuncAttribute attribute, int value) {
  return api([&](Runtime&) {
    set(sim::kernel_of(symbol), attribute, value);
    return cudaSuccess;
  });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute,
                                            int value, int device) {
  return api([&](Runtime&) {
    sim::require_ordinal(device);
    const sim::OnDevice there(device);
    set(sim::kernel_of(kernel), attribute, value);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* symbol, cudaFuncCache config) {
  return api([&](Runtime&) {
    require(config >= cudaFuncCachePreferNone && config <= cudaFuncCachePreferEqual);
    sim::kernel_of(symbol);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* symbol, cudaSharedMemConfig) {
  return api([&](Runtime&) {
    sim::kernel_of(symbol);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetName(const char** name, const void* symbol) {
  return api([&](Runtime&) {
    require(name != nullptr);
    *name = sim::kernel_of(symbol).name.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetParamInfo(const void* symbol, size_t index, size_t* offset, size_t* bytes) {
  return api([&](Runtime&) {
    const auto& params = sim::kernel_of(symbol).routine().params;
    require(index < params.size() && offset != nullptr);
    *offset = params[index].offset;
    if (bytes != nullptr) *bytes = params[index].bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* symbol) {
  return api([&](Runtime&) {
    require(function != nullptr);
    *function = reinterpret_cast<cudaFunction_t>(&sim::kernel_of(symbol));
    return cudaSuccess;
  });
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* symbol) {
  return api([&](Runtime&) {
    require(kernel != nullptr);
    *kernel = reinterpret_cast<cudaKernel_t>(&sim::kernel_of(symbol));
    return cudaSuccess;
  });
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
