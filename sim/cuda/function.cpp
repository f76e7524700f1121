// Functions: kernels in a context.
#include <vector>

#include "sim/cuda/function_attribute.hpp"
#include "sim/cuda/module_store.hpp"
#include "sim/runtime/launch/function.hpp"

using namespace aisp;

using namespace sim::driver;

namespace aisp::sim::driver {

static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute));
static_assert(sizeof(CUlaunchAttributeValue) == sizeof(cudaLaunchAttributeValue));

cudaLaunchConfig_t same_config(const CUlaunchConfig& config) {
  cudaLaunchConfig_t same_one{};
  same_one.gridDim = dim3(config.gridDimX, config.gridDimY, config.gridDimZ);
  same_one.blockDim = dim3(config.blockDimX, config.blockDimY, config.blockDimZ);
  same_one.dynamicSmemBytes = config.sharedMemBytes;
  same_one.stream = config.hStream;
  same_one.attrs = reinterpret_cast<cudaLaunchAttribute*>(config.attrs);
  same_one.numAttrs = config.numAttrs;
  return same_one;
}

Kernel& function_at(CUfunction function) {
  demand(function != nullptr, CUDA_ERROR_INVALID_HANDLE);
  return kernel_of(function);
}

std::vector<void*> unpacked_arguments(Kernel& kernel, void** extra) {
  const std::byte* buffer = nullptr;
  const size_t* bytes = nullptr;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    demand(extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER || extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE);
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = static_cast<const std::byte*>(extra[1]);
    else
      bytes = static_cast<const size_t*>(extra[1]);
  }
  demand(buffer != nullptr && bytes != nullptr);
  std::vector<void*> arguments;
  std::size_t end = 0;
  for (const auto& param : kernel.routine().params) {
    demand(param.offset + param.bytes <= *bytes, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    arguments.push_back(const_cast<std::byte*>(buffer + param.offset));
    end = param.offset + param.bytes;
  }
  demand(*bytes <= end, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  return arguments;
}

int function_attribute(Kernel& kernel, CUfunction_attribute attribute) {
  const cudaFuncAttributes all = attributes_of(kernel);
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return all.maxThreadsPerBlock;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      return static_cast<int>(all.sharedSizeBytes);
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      return static_cast<int>(all.constSizeBytes);
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      return static_cast<int>(all.localSizeBytes);
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      return all.numRegs;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      return all.ptxVersion;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      return all.binaryVersion;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
      return all.cacheModeCA;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return all.maxDynamicSharedSizeBytes;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return all.preferredShmemCarveout;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
      return all.clusterDimMustBeSet;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
      return all.requiredClusterWidth;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
      return all.requiredClusterHeight;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      return all.requiredClusterDepth;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      return all.nonPortableClusterSizeAllowed;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      return all.clusterSchedulingPolicyPreference;
    default:
      throw DriverError{CUDA_ERROR_INVALID_VALUE};
  }
}

}  // namespace aisp::sim::driver

namespace {

CUresult launch_function(const CUlaunchConfig& config, CUfunction function, void** pointers,
                         void** extra) {
  return in_context([&] {
    sim::Kernel& kernel = function_at(function);
    demand(pointers == nullptr || extra == nullptr);
    std::vector<void*> unpacked;
    if (extra != nullptr) unpacked = unpacked_arguments(kernel, extra);
    demand(pointers != nullptr || extra != nullptr || kernel.routine().params.empty());
    const cudaLaunchConfig_t runtime_config = same_config(config);
    return cudaLaunchKernelExC(&runtime_config, &kernel,
                               extra != nullptr ? unpacked.data() : pointers);
  });
}

CUlaunchConfig plain_config(unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                            unsigned block_y, unsigned block_z, unsigned shared, CUstream stream) {
  return {grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, nullptr, 0};
}

}  // namespace

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  return in_context([&] {
    demand(value != nullptr);
    *value = function_attribute(function_at(function), attribute);
  });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return in_context([&] {
    sim::set_attribute(function_at(function), static_cast<cudaFuncAttribute>(attribute), value);
  });
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  return in_context([&] {
    return cudaFuncSetCacheConfig(&function_at(function), static_cast<cudaFuncCache>(config));
  });
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig) {
  return in_context([&] { function_at(function); });
}

CUresult cuFuncGetName(const char** name, CUfunction function) {
  return in_context([&] {
    demand(name != nullptr);
    *name = function_at(function).name.c_str();
  });
}

CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
  return in_context([&] {
    demand(module != nullptr);
    *module = handle_of_module(*function_at(function).module);
  });
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* bytes) {
  return in_context(
      [&] { return cudaFuncGetParamInfo(&function_at(function), index, offset, bytes); });
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
  return in_context([&] {
    demand(state != nullptr);
    *state = function_at(function).module->programs().empty() ? CU_FUNCTION_LOADING_STATE_UNLOADED
                                                              : CU_FUNCTION_LOADING_STATE_LOADED;
  });
}

CUresult cuFuncLoad(CUfunction function) {
  return in_context([&] { function_at(function).routine(); });
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void** pointers, void** extra) {
  return launch_function(
      plain_config(grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream), function,
      pointers, extra);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** pointers,
                          void** extra) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return launch_function(*config, function, pointers, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared, CUstream stream,
                                   void** pointers) {
  CUlaunchAttribute cooperative{};
  cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  cooperative.value.cooperative = 1;
  CUlaunchConfig config =
      plain_config(grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream);
  config.attrs = &cooperative;
  config.numAttrs = 1;
  return launch_function(config, function, pointers, nullptr);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return in_context([&] { return cudaLaunchHostFunc(stream, function, data); });
}
