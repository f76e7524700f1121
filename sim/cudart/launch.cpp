// Kernel launches: the API entries, and the task that runs a kernel.
#include <cstdio>
#include <utility>

#include "base/refuse.hpp"
#include "sim/cudart/graph_condition.hpp"
#include "sim/cudart/hazards.hpp"
#include "sim/cudart/module.hpp"
#include "sim/cudart/runtime.hpp"
#include "sim/cudart/stats.hpp"

namespace sim {
namespace {

cudaError_t error_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::out_of_bounds:
    case FaultKind::use_after_free:
    case FaultKind::host_pointer:
    case FaultKind::read_only:
    case FaultKind::no_peer_access:
      return cudaErrorIllegalAddress;
    case FaultKind::misaligned:
      return cudaErrorMisalignedAddress;
    case FaultKind::bad_address_space:
      return cudaErrorInvalidAddressSpace;
    case FaultKind::bad_pc:
      return cudaErrorInvalidPc;
    case FaultKind::illegal_instruction:
      return cudaErrorIllegalInstruction;
    case FaultKind::assertion:
      return cudaErrorAssert;
    case FaultKind::deadlock:
      return cudaErrorLaunchTimeout;
    case FaultKind::trap:
    case FaultKind::stack_overflow:
      break;
  }
  return cudaErrorLaunchFailure;
}

TaskResult run(const KernelCall& call, double start) {
  Runtime& runtime = Runtime::get();
  const Routine& routine = call.kernel->routine();
  LaunchConfig config = call.config;
  config.programmatic = call.programmatic;
  config.set_condition = set_condition;
  LaunchResult result = launch(call.kernel->program(), routine, runtime.model, runtime.memory,
                               runtime.settings, config, call.params, start);
  if (Hazards* hazards = Hazards::get())
    hazards->kernel_ran(call.kernel->program(), std::move(result.footprint));
  if (!result.printed.empty()) {
    std::fwrite(result.printed.data(), 1, result.printed.size(), stdout);
    std::fflush(stdout);
  }
  if (runtime.stats) count_launch(routine.name, result);
  if (!result.fault) return {cudaSuccess, result.nanoseconds, result.let_dependents_launch};
  runtime.note(result.fault->text);
  runtime.lose_device(error_of(result.fault->kind));
  return {.error = runtime.sticky(), .nanoseconds = result.nanoseconds};
}

cudaError_t start(const cudaLaunchConfig_t& config, const void* symbol, void** args) {
  return api([&](Runtime&) {
    return submit(config.stream, make_task(make_call(config, kernel_of(symbol), args)));
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

Task make_task(KernelCall call) {
  Task task;
  auto shared = std::make_shared<const KernelCall>(call);
  task.what = std::move(call);
  task.run = [shared](double start_nanoseconds) { return run(*shared, start_nanoseconds); };
  return task;
}

}  // namespace sim

AISP_API cudaError_t __cudaGetKernel(cudaKernel_t* handle, const void* host) {
  return sim::api_always([&](sim::Runtime&) {
    *handle = reinterpret_cast<cudaKernel_t>(&sim::kernel_of(host));
    return cudaSuccess;
  });
}

AISP_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** args,
                                        size_t shared, cudaStream_t stream) {
  return sim::start(sim::plain(grid, block, shared, stream), kernel, args);
}

AISP_API cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block,
                                             void** args, size_t shared, cudaStream_t stream) {
  const sim::PerThreadDefault scope;
  return __cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

cudaError_t cudaLaunchKernel(const void* symbol, dim3 grid, dim3 block, void** args, size_t shared,
                             cudaStream_t stream) {
  return sim::start(sim::plain(grid, block, shared, stream), symbol, args);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* symbol, void** args) {
  if (config == nullptr) return sim::record_error(cudaErrorInvalidValue);
  return sim::start(*config, symbol, args);
}

cudaError_t cudaLaunchCooperativeKernel(const void* symbol, dim3 grid, dim3 block, void** args,
                                        size_t shared, cudaStream_t stream) {
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t config = sim::plain(grid, block, shared, stream);
  config.attrs = &cooperative;
  config.numAttrs = 1;
  return sim::start(config, symbol, args);
}
