#include "sim/runtime/launch/kernel_task.hpp"

#include <cstdio>
#include <utility>

#include "sim/runtime/launch/condition.hpp"
#include "sim/runtime/launch/counting.hpp"
#include "sim/runtime/launch/stats.hpp"
#include "sim/runtime/module/module.hpp"
#include "sim/runtime/module/mutate.hpp"
#include "sim/runtime/state/host_watch.hpp"
#include "sim/runtime/state/sync_file.hpp"
#include "sim/runtime/stream/executor.hpp"
#include "sim/watch/sync/sync_recorder.hpp"

namespace aisp::sim {
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
  config.observer = traffic_of_kernels();
  config.polls = [] { return Executor::get().let_others_run(); };
  watch::SyncRecorder recorder;
  if (sync_file() != nullptr) config.observer = &recorder;
  if (call.part) config.part = call.part.get();
  LaunchResult result = launch(call.kernel->program(), routine, runtime.model, runtime.memory,
                               runtime.settings, config, call.params, start);
  if (watch::SyncFile* file = sync_file())
    file->add(recorder.record(call.kernel->program(), routine,
                              {config.grid, config.block, config.cluster, config.dynamic_shared}));
  if (watch::HostWatch* watch = host_watch())
    watch->kernel_ran(call.kernel->program(), std::move(result.footprint));
  if (!result.printed.empty()) {
    std::fwrite(result.printed.data(), 1, result.printed.size(), stdout);
    std::fflush(stdout);
  }
  list_launch(routine.name);
  counted(result);
  if (runtime.stats) count_launch(routine.name, result);
  if (!result.fault) return {cudaSuccess, result.nanoseconds, result.let_dependents_launch};
  // A deadlock that the checker reports is not told here, too.
  if (result.fault->kind == FaultKind::deadlock && host_watch() != nullptr)
    runtime.keep_note(result.fault->text);
  else
    runtime.note(result.fault->text);
  runtime.lose_device(error_of(result.fault->kind));
  return {.error = runtime.sticky(), .nanoseconds = result.nanoseconds};
}

}  // namespace

Task make_task(KernelCall call) {
  Task task;
  auto shared = std::make_shared<const KernelCall>(call);
  task.what = std::move(call);
  task.run = [shared](double start_nanoseconds) { return run(*shared, start_nanoseconds); };
  return task;
}

}  // namespace aisp::sim
