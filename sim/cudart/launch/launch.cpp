// Kernel launches.
#include "sim/cudart/entry.hpp"
#include "sim/cudart/launch/call_configuration.hpp"
#include "sim/machine/names.hpp"
#include "sim/runtime/launch/dimensions_text.hpp"
#include "sim/runtime/launch/kernel_task.hpp"
#include "sim/runtime/launch/make_call.hpp"
#include "sim/runtime/launch/unread_launches.hpp"
#include "sim/runtime/stream/streams.hpp"
#include "sim/runtime/stream/submit.hpp"

using namespace aisp;

namespace {

// Of a launch whose error the caller is not given. A lost device has been spoken of already.
void remember(const cudaLaunchConfig_t& config, cudaError_t error, const std::string& kernel,
              const std::string& reason) {
  if (sim::Runtime::get().sticky() != cudaSuccess) return;
  sim::launch_failed(
      {.kernel = kernel.empty() ? "a kernel that is not known" : sim::readable_name(kernel),
       .error = cudaGetErrorName(error),
       .reason = reason.empty() ? cudaGetErrorString(error) : reason,
       .shape = base::say("<<<", sim::dimensions_text(config.gridDim), ", ",
                          sim::dimensions_text(config.blockDim), ", ", config.dynamicSmemBytes,
                          " bytes>>>")});
}

cudaError_t start(const cudaLaunchConfig_t& config, const void* symbol, void** args) {
  const bool by_syntax = sim::take_call_configuration();
  std::string kernel, reason;
  const cudaError_t error = sim::api([&](sim::Runtime&) {
    try {
      sim::Kernel& called = sim::kernel_of(symbol);
      kernel = called.name;
      return sim::submit(config.stream, sim::make_task(sim::make_call(config, called, args)));
    } catch (const sim::ApiError& failed) {
      reason = failed.reason;
      throw;
    } catch (const std::exception& failed) {
      reason = failed.what();
      throw;
    }
  });
  if (error != cudaSuccess && by_syntax) remember(config, error, kernel, reason);
  return error;
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
