#include "sim/runtime/stream/submit.hpp"

#include "sim/runtime/state/host_watch.hpp"
#include "sim/runtime/state/runtime.hpp"
#include "sim/runtime/stream/capture.hpp"
#include "sim/runtime/stream/describe.hpp"
#include "sim/runtime/stream/event.hpp"
#include "sim/runtime/stream/streams.hpp"

namespace aisp::sim {
namespace {

// Events that a launch attribute asks for. The kernel's end is one legal moment for both.
void record_events(const std::vector<cudaLaunchAttribute>& attributes, Stream& stream) {
  for (const cudaLaunchAttribute& attribute : attributes) {
    if (attribute.id == cudaLaunchAttributeProgrammaticEvent)
      record_event(event_of(attribute.val.programmaticEvent.event), stream);
    if (attribute.id == cudaLaunchAttributeLaunchCompletionEvent)
      record_event(event_of(attribute.val.launchCompletionEvent.event), stream);
  }
}

void submit_locked(cudaStream_t handle, Task task) {
  const std::lock_guard lock(Runtime::get().mutex);
  require_permitted();
  Stream& stream = Streams::get().find(handle);
  require_no_implicit_capture(stream);
  const auto* kernel = std::get_if<KernelCall>(&task.what);
  require(kernel == nullptr || kernel->config.device == stream.device,
          cudaErrorInvalidResourceHandle);
  const auto attributes = kernel != nullptr ? kernel->attributes : decltype(kernel->attributes){};
  if (stream.capture)
    capture_task(stream, std::move(task));
  else
    enqueue_task(stream, std::move(task));
  record_events(attributes, stream);
}

}  // namespace

cudaError_t submit(cudaStream_t handle, Task task) {
  submit_locked(handle, std::move(task));
  Executor::get().run_what_reaches_host();
  return cudaSuccess;
}

void submit_callback(cudaStream_t handle, cudaStreamCallback_t callback, void* data) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  require_permitted();
  Stream& stream = Streams::get().find(handle);
  require_not_capturing(stream);
  require_no_implicit_capture(stream);
  const auto call = [=, &runtime](double) {
    callback(handle, runtime.sticky(), data);
    return TaskResult{};
  };
  Job job{.run = call, .even_if_lost = true};
  if (host_watch() != nullptr)
    job.operation = operation_of({.what = HostCall{}, .run = nullptr}, stream, 0);
  Streams::get().enqueue(stream, std::move(job));
}

bool capturing(cudaStream_t handle) {
  const std::lock_guard lock(Runtime::get().mutex);
  return Streams::get().find(handle).capture != nullptr;
}

cudaError_t check_stream(cudaStream_t handle) {
  device_of_stream(handle);
  return cudaSuccess;
}

int device_of_stream(cudaStream_t handle) {
  const std::lock_guard lock(Runtime::get().mutex);
  return Streams::get().find(handle).device;
}

StreamMarks awaited_marks(cudaStream_t handle) {
  const std::lock_guard lock(Runtime::get().mutex);
  require_permitted();
  Stream& stream = Streams::get().find(handle);
  require_not_capturing(stream);
  require_no_implicit_capture(stream);
  return {stream.legacy ? Streams::get().before(stream) : std::vector{stream.tail}, stream.device};
}

cudaError_t wait_stream(cudaStream_t handle) {
  const StreamMarks stream = awaited_marks(handle);
  for (const MarkPtr& mark : stream.marks) Executor::get().wait(mark);
  return Runtime::get().sticky(stream.device);
}

cudaError_t wait_device(int device) {
  if (Executor::inside()) return cudaErrorNotPermitted;
  MarkPtr last;  // in the default stream, maybe another device's copy
  {
    const std::lock_guard lock(Runtime::get().mutex);
    last = Streams::get().default_tail(device);
  }
  Executor::get().wait_all(device);
  Executor::get().wait(last);
  return Runtime::get().sticky(device);
}

cudaError_t wait_device() { return wait_device(current_device()); }

cudaError_t wait_all_devices() {
  if (Executor::inside()) return cudaErrorNotPermitted;
  Executor::get().wait_all(-1);
  return Runtime::get().sticky();
}

}  // namespace aisp::sim
