#include "sim/runtime/stream/event.hpp"

#include "sim/cudart/entry.hpp"
#include "sim/runtime/stream/capture.hpp"
#include "sim/runtime/stream/streams.hpp"

using namespace aisp;

using sim::api;
using sim::api_query;
using sim::event_of;
using sim::Executor;
using sim::locked_api;
using sim::require;
using sim::Runtime;
using sim::Stream;
using sim::Streams;

namespace {

constexpr unsigned known_flags =
    cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;

}  // namespace

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* handle, unsigned flags) {
  return api([&](Runtime&) {
    require(handle != nullptr && (flags & ~known_flags) == 0);
    require((flags & cudaEventInterprocess) == 0 || (flags & cudaEventDisableTiming) != 0);
    *handle = sim::create_event(flags);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* handle) { return cudaEventCreateWithFlags(handle, 0); }

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  return locked_api([&] { sim::destroy_event(handle); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream_handle,
                                     unsigned flags) {
  return locked_api([&] {
    sim::require_permitted();
    sim::Event& event = event_of(handle);
    require((flags & ~unsigned{cudaEventRecordExternal}) == 0);
    Stream& stream = Streams::get().find(stream_handle);
    sim::require_no_implicit_capture(stream);
    if (flags == 0)
      sim::record_event(event, stream);
    else
      sim::capture_record(stream, handle);
  });
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream) {
  return cudaEventRecordWithFlags(handle, stream, 0);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream_handle, cudaEvent_t handle, unsigned flags) {
  return locked_api([&] {
    sim::require_permitted();
    Stream& stream = Streams::get().find(stream_handle);
    const sim::Event& event = event_of(handle);
    require((flags & ~unsigned{cudaEventWaitExternal}) == 0);
    sim::require_no_implicit_capture(stream);
    if (flags == 0)
      sim::wait_for_event(stream, event);
    else
      sim::capture_wait(stream, handle);
  });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return api_query([&](Runtime& runtime) {
    const sim::EventMark event = sim::awaited_mark(handle);
    if (!Executor::get().reached(event.mark)) return cudaErrorNotReady;
    return runtime.sticky(event.device);
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return api([&](Runtime& runtime) {
    const sim::EventMark event = sim::awaited_mark(handle);
    Executor::get().wait(event.mark);
    return runtime.sticky(event.device);
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return api_query([&](Runtime& runtime) {
    const std::lock_guard lock(runtime.mutex);
    require(milliseconds != nullptr);
    require(event_of(start).device == event_of(end).device, cudaErrorInvalidResourceHandle);
    const sim::MarkPtr first = sim::timed_mark(start), second = sim::timed_mark(end);
    Executor& executor = Executor::get();
    if (!executor.reached(first) || !executor.reached(second)) return cudaErrorNotReady;
    *milliseconds =
        static_cast<float>((executor.nanoseconds(second) - executor.nanoseconds(first)) * 1e-6);
    return cudaSuccess;
  });
}
