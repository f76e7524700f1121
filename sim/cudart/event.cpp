#include "sim/cudart/event.hpp"

#include <map>

#include "base/refuse.hpp"
#include "sim/cudart/capture.hpp"
#include "sim/cudart/graph.hpp"
#include "sim/cudart/mutate.hpp"

namespace sim {
namespace {

constexpr unsigned known_flags =
    cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;

std::map<const Event*, std::unique_ptr<Event>>& events() {
  static auto* const all = new std::map<const Event*, std::unique_ptr<Event>>;
  return *all;
}

// An event of a capture cannot be waited for by the host. While the capture is under way, trying
// it ends the capture.
void require_not_captured(const Event& event) {
  if (!event.capture) return;
  require(event.capture->usable());
  event.capture->valid = false;
  throw ApiError{cudaErrorCapturedEvent};
}

// The mark of an event that the host asks about, and whose device's error it learns.
struct Asked {
  MarkPtr mark;
  int device;
};
Asked asked(cudaEvent_t handle) {
  const std::lock_guard lock(Runtime::get().mutex);
  require_permitted();
  const Event& event = event_of(handle);
  require_not_captured(event);
  require(forbid_during_capture());
  return {event.mark, event.device};
}

MarkPtr timed(cudaEvent_t handle) {
  const Event& event = event_of(handle);
  require_not_captured(event);
  require(event.mark && (event.flags & cudaEventDisableTiming) == 0,
          cudaErrorInvalidResourceHandle);
  return event.mark;
}

std::string describe_wait(const Stream& stream, const Event& event) {
  return base::say("stream ", stream.id, " waits for an event of ",
                   event.recorded_in == 0 ? "no stream" : base::say("stream ", event.recorded_in),
                   event.capture || stream.capture ? ", captured" : "");
}

}  // namespace

Event* find_event(cudaEvent_t handle) {
  const auto found = events().find(reinterpret_cast<const Event*>(handle));
  return found == events().end() ? nullptr : found->second.get();
}

Event& event_of(cudaEvent_t handle) {
  Event* event = find_event(handle);
  require(event != nullptr, cudaErrorInvalidResourceHandle);
  return *event;
}

void record_event(Event& event, Stream& stream) {
  require(event.device == stream.device, cudaErrorInvalidResourceHandle);
  event.recorded_in = stream.id;
  if (stream.capture) {
    require(stream.capture->valid, cudaErrorStreamCaptureInvalidated);
    event.capture = stream.capture;
    event.nodes = stream.frontier;
    return;
  }
  event.capture = nullptr;
  event.nodes.clear();
  event.mark = Streams::get().enqueue(stream, Job{});
}

}  // namespace sim

using sim::api;
using sim::api_query;
using sim::event_of;
using sim::Executor;
using sim::require;
using sim::Runtime;
using sim::Stream;

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* handle, unsigned flags) {
  return api([&](Runtime& runtime) {
    require(handle != nullptr && (flags & ~sim::known_flags) == 0);
    require((flags & cudaEventInterprocess) == 0 || (flags & cudaEventDisableTiming) != 0);
    auto event = std::make_unique<sim::Event>();
    event->flags = flags;
    event->device = sim::current_device();
    *handle = reinterpret_cast<cudaEvent_t>(event.get());
    const std::lock_guard lock(runtime.mutex);
    sim::events().emplace(event.get(), std::move(event));
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* handle) { return cudaEventCreateWithFlags(handle, 0); }

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  return api([&](Runtime& runtime) {
    const std::lock_guard lock(runtime.mutex);
    sim::events().erase(&event_of(handle));
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream_handle,
                                     unsigned flags) {
  return api([&](Runtime& runtime) {
    const std::lock_guard lock(runtime.mutex);
    sim::require_permitted();
    sim::Event& event = event_of(handle);
    require((flags & ~unsigned{cudaEventRecordExternal}) == 0);
    Stream& stream = sim::Streams::get().find(stream_handle);
    sim::require_no_implicit_capture(stream);
    if (flags == 0) {
      sim::record_event(event, stream);
    } else {
      require(stream.capture != nullptr, cudaErrorIllegalState);
      sim::capture_work(stream, sim::EventRecord{handle});
    }
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream) {
  return cudaEventRecordWithFlags(handle, stream, 0);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream_handle, cudaEvent_t handle, unsigned flags) {
  return api([&](Runtime& runtime) {
    const std::lock_guard lock(runtime.mutex);
    sim::require_permitted();
    Stream& stream = sim::Streams::get().find(stream_handle);
    const sim::Event& event = event_of(handle);
    require((flags & ~unsigned{cudaEventWaitExternal}) == 0);
    sim::require_no_implicit_capture(stream);
    const bool dropped = sim::drops_wait(sim::describe_wait(stream, event));
    if (flags != 0) {
      require(stream.capture != nullptr, cudaErrorIllegalState);
      if (!dropped) sim::capture_work(stream, sim::EventWait{handle});
    } else if (stream.capture || event.capture) {
      sim::join_capture(stream, event, dropped);
    } else if (event.mark && !dropped) {
      sim::Streams::get().enqueue(stream, sim::Job{.run = nullptr, .after = {event.mark}});
    }
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return api_query([&](Runtime& runtime) {
    const sim::Asked event = sim::asked(handle);
    if (!Executor::get().reached(event.mark)) return cudaErrorNotReady;
    return runtime.sticky(event.device);
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return api([&](Runtime& runtime) {
    const sim::Asked event = sim::asked(handle);
    Executor::get().wait(event.mark);
    return runtime.sticky(event.device);
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return api_query([&](Runtime& runtime) {
    const std::lock_guard lock(runtime.mutex);
    require(milliseconds != nullptr);
    require(event_of(start).device == event_of(end).device, cudaErrorInvalidResourceHandle);
    const sim::MarkPtr first = sim::timed(start), second = sim::timed(end);
    Executor& executor = Executor::get();
    if (!executor.reached(first) || !executor.reached(second)) return cudaErrorNotReady;
    *milliseconds =
        static_cast<float>((executor.nanoseconds(second) - executor.nanoseconds(first)) * 1e-6);
    return cudaSuccess;
  });
}
