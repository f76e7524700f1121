// What the device is asked to do. Each operation is described as data, so that a stream can run it
// later and a graph can keep, show and edit it; a Task is such a description made runnable.
#pragma once

#include <functional>
#include <variant>

#include "sim/runtime/memory/calls.hpp"
#include "sim/runtime/module/kernel_call.hpp"

namespace aisp::sim {

struct HostCall {
  cudaHostFn_t function = nullptr;
  void* data = nullptr;
};

struct TaskResult {
  cudaError_t error = cudaSuccess;
  double nanoseconds = 0;              // simulated time it took
  bool let_dependents_launch = false;  // a kernel, by every block, before it ended
};

struct Task {
  // What graphs record; monostate for what is not an operation of its own.
  std::variant<std::monostate, KernelCall, CopyCall, FillCall, HostCall, AllocateCall, ReleaseCall>
      what;
  // Called once, by one thread at a time for the whole device, at a moment when everything it
  // depends on has run. A fault of a kernel has already made the device lost when it returns.
  std::function<TaskResult(double start_nanoseconds)> run;
  bool awaited = false;  // the call that submits it returns when it has run
};

// Tasks that do what the call describes; sim/runtime/launch/kernel_task.hpp has that of a kernel.
// May be called any number of times with edited copies: a graph makes fresh tasks at every launch.
Task make_task(CopyCall call);
Task make_task(FillCall call);
Task make_task(HostCall call);
Task make_task(AllocateCall call);
Task make_task(ReleaseCall call);

}  // namespace aisp::sim
