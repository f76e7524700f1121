// Kernel launches.
#include "sim/cudart/entry.hpp"
#include "sim/runtime/launch/kernel_task.hpp"
#include "sim/runtime/launch/make_call.hpp"
#include "sim/runtime/stream/streams.hpp"
#include "sim/runtime/stream/submit.hpp"

using namespace aisp;

namespace {

cudaError_t start(const cudaLaunchConfig_t& config, const void* symbol, void** args) {
  return sim::api([&](sim::Runtime&) {
    return sim::submit(config.stream,
                       sim::make_task(sim::make_call(config, sim::kernel_of(symbol), args)));
  });
}

cudaLaunchConfig_t plain(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  return config;
}

}  // namespace

AISP_API cudaError_t __cudaGetKernel(cudaKernel_t* handle, const void* host) {
  return sim::api_always([&](sim::Runtime&) {
    *handle = reinterpret_cast<cudaKernel_t>(&sim::kernel_of(host));
    return cudaSuccess;
  });
}

AISP_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** args,
                                        size_t shared, cudaStream_t stream) {
  return start(plain(grid, block, shared, stream), kernel, args);
}

AISP_API cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block,
                                             void** args, size_t shared, cudaStream_t stream) {
  const sim::PerThreadDefault scope;
  return __cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

cudaError_t cudaLaunchKernel(const void* symbol, dim3 grid, dim3 block, void** args, size_t shared,
                             cudaStream_t stream) {
  return start(plain(grid, block, shared, stream), symbol, args);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* symbol, void** args) {
  if (config == nullptr) return sim::record_error(cudaErrorInvalidValue);
  return start(*config, symbol, args);
}

cudaError_t cudaLaunchCooperativeKernel(const void* symbol, dim3 grid, dim3 block, void** args,
                                        size_t shared, cudaStream_t stream) {
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t config = plain(grid, block, shared, stream);
  config.attrs = &cooperative;
  config.numAttrs = 1;
  return start(config, symbol, args);
}
