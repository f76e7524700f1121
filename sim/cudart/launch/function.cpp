// Kernels as objects: handles, names, attributes.
#include "sim/runtime/launch/function.hpp"

#include "sim/cudart/entry.hpp"

using namespace aisp;

using sim::api;
using sim::require;
using sim::Runtime;

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* symbol) {
  return api([&](Runtime&) {
    require(attributes != nullptr);
    *attributes = sim::attributes_of(sim::kernel_of(symbol));
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* symbol, cudaFuncAttribute attribute, int value) {
  return api([&](Runtime&) {
    sim::set_attribute(sim::kernel_of(symbol), attribute, value);
    return cudaSuccess;
  });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute,
                                            int value, int device) {
  return api([&](Runtime&) {
    sim::require_ordinal(device);
    const sim::OnDevice there(device);
    sim::set_attribute(sim::kernel_of(kernel), attribute, value);
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
