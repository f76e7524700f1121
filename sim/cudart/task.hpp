// What the device is asked to do. Each operation is described as data, so that a stream can run it
// later and a graph can keep, show and edit it; a Task is such a description made runnable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "sim/cudart/api.hpp"
#include "sim/launch/launch.hpp"

namespace sim {

struct Kernel;  // sim/cudart/module.hpp

struct KernelCall {
  Kernel* kernel = nullptr;
  LaunchConfig config;
  std::vector<std::byte> params;  // the packed constant bank: routine->param_bytes bytes
  std::vector<cudaLaunchAttribute> attributes;
  // cudaLaunchAttributeProgrammaticStreamSerialization: may start before the kernel ahead of it in
  // the stream has ended. The simulator may always run it afterwards, which is one legal order.
  bool programmatic = false;
  int multiprocessors = 1;  // that it holds in simulated time
};

// Rows of `width` bytes; planes of `height` rows. One row: plain cudaMemcpy. Array ends are not
// modelled.
struct CopyCall {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t width = 0, height = 1, depth = 1;
  std::size_t to_pitch = 0, from_pitch = 0;        // bytes from row to row
  std::size_t to_plane = 0, from_plane = 0;        // bytes from plane to plane
  cudaMemcpyKind kind = cudaMemcpyDefault;         // as asked for; already judged
  std::shared_ptr<std::vector<std::byte>> staged;  // pageable source taken at submission
  std::size_t bytes() const { return width * height * depth; }
};

// `element` bytes (1, 2 or 4) of `value` over rows of `width` elements.
struct FillCall {
  void* to = nullptr;
  std::uint32_t value = 0;
  std::uint32_t element = 1;
  std::size_t width = 0, height = 1, depth = 1;
  std::size_t pitch = 0, plane = 0;  // bytes
  std::size_t bytes() const { return width * element * height * depth; }
};

struct HostCall {
  cudaHostFn_t function = nullptr;
  void* data = nullptr;
};

// Stream-ordered memory: the address exists from the submission on, the call only orders it.
struct AllocateCall {
  void* memory = nullptr;
  std::size_t bytes = 0;
  cudaMemPool_t pool = nullptr;
};
struct ReleaseCall {
  void* memory = nullptr;
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

// Tasks that do what the call describes (sim/cudart/task.cpp, launch.cpp, memory_pool.cpp). May be
// called any number of times with edited copies: a graph makes fresh tasks at every launch.
Task make_task(KernelCall call);
Task make_task(CopyCall call);
Task make_task(FillCall call);
Task make_task(HostCall call);
Task make_task(AllocateCall call);
Task make_task(ReleaseCall call);

// ---- The contract of streams: sim/cudart/stream*.cpp implements it. ----
// `stream` is what the program passed: 0 (legacy, or per-thread under a PerThreadDefault scope),
// cudaStreamLegacy, cudaStreamPerThread, or a created one. An unknown handle gives
// cudaErrorInvalidResourceHandle, an invalidated capture its cudaErrorStreamCapture*.
// On a capturing stream the task becomes a graph node instead of running.
cudaError_t submit(cudaStream_t stream, Task task);
// Returns when everything submitted so far has run: cudaSuccess or the sticky error;
// cudaErrorStreamCaptureUnsupported when the stream is capturing.
cudaError_t wait_stream(cudaStream_t stream);
cudaError_t wait_device();  // the current one, and nothing but it
cudaError_t wait_device(int device);
cudaError_t wait_all_devices();  // the current one's error
// First thing in every call that a global capture forbids (cudaMalloc, cudaFree, ...): when one is
// under way that concerns this thread, invalidates it and returns
// cudaErrorStreamCaptureUnsupported.
cudaError_t forbid_during_capture();
bool capturing(cudaStream_t stream);
cudaError_t check_stream(cudaStream_t stream);  // cudaSuccess: the handle is one
int device_of_stream(cudaStream_t stream);

}  // namespace sim
