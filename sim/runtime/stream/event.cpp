#include "sim/runtime/stream/event.hpp"

#include <unistd.h>

#include <map>

#include "base/refuse.hpp"
#include "sim/runtime/module/mutate.hpp"
#include "sim/runtime/state/runtime.hpp"
#include "sim/runtime/stream/capture.hpp"
#include "sim/runtime/stream/streams.hpp"

namespace aisp::sim {
namespace {

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

// Counts the wait. True: it is to do nothing.
bool is_dropped(const Stream& stream, const Event& event) {
  return drops_wait(
      base::say("stream ", stream.id, " waits for an event of ",
                event.recorded_in == 0 ? "no stream" : base::say("stream ", event.recorded_in),
                event.capture || stream.capture ? ", captured" : ""));
}

// The stream comes after the event, one of which is part of a capture. `dropped`: it becomes part
// of the capture all the same, but comes after nothing.
void join_capture(Stream& stream, const Event& event, bool dropped) {
  if (stream.capture && !event.capture && !event.mark) return;  // never recorded: nothing to await
  if (stream.capture) {
    require(stream.capture->valid, cudaErrorStreamCaptureInvalidated);
    const auto fail = [&](cudaError_t error) {
      stream.capture->valid = false;
      throw ApiError{error};
    };
    if (!event.capture) fail(cudaErrorStreamCaptureIsolation);
    if (!event.capture->usable()) fail(cudaErrorInvalidValue);
    if (event.capture != stream.capture) {
      event.capture->valid = false;
      fail(cudaErrorStreamCaptureMerge);
    }
  }
  require(event.capture->usable());
  if (stream.legacy) {
    event.capture->valid = false;
    throw ApiError{cudaErrorStreamCaptureImplicit};
  }
  stream.capture = event.capture;
  stream.capture->streams.insert(&stream);
  if (dropped) {
    auto& forgiven = stream.capture->forgiven;
    forgiven.insert(forgiven.end(), event.nodes.begin(), event.nodes.end());
    return;
  }
  add_to_frontier(stream, event.nodes);
}

// Of the last record, whichever process made it; null: never, or reached long ago.
MarkPtr mark_of(const Event& event) {
  if (!event.shared) return event.mark;
  const SharedEvent::Last last = event.shared->last();
  if (last.process == static_cast<std::uint32_t>(getpid())) return event.mark;
  return event.shared->is_reached(last) ? nullptr : mark_of_other_process(event.shared, last);
}

// What the stream does for a record: others learn of it when its turn has come.
Job record_job(const Event& event) {
  Job job;
  if (!event.shared) return job;
  job.even_if_lost = true;
  job.run = [shared = event.shared, number = event.shared->begin_record()](double) {
    shared->reached(number);
    return TaskResult{};
  };
  return job;
}

}  // namespace

cudaEvent_t create_event(unsigned flags, std::shared_ptr<SharedEvent> shared) {
  auto event = std::make_unique<Event>();
  event->flags = flags;
  if (!shared && (flags & cudaEventInterprocess) != 0) shared = std::make_shared<SharedEvent>();
  event->shared = std::move(shared);
  event->device = current_device();
  const auto handle = reinterpret_cast<cudaEvent_t>(event.get());
  const std::lock_guard lock(Runtime::get().mutex);
  events().emplace(event.get(), std::move(event));
  return handle;
}

void destroy_event(cudaEvent_t handle) { events().erase(&event_of(handle)); }

Event* find_event(cudaEvent_t handle) {
  const auto found = events().find(reinterpret_cast<const Event*>(handle));
  return found == events().end() ? nullptr : found->second.get();
}

Event& event_of(cudaEvent_t handle) {
  Event* event = find_event(handle);
  require(event != nullptr, cudaErrorInvalidResourceHandle);
  return *event;
}

cudaEvent_t live_event(cudaEvent_t handle) {
  require(find_event(handle) != nullptr);
  return handle;
}

void record_event(Event& event, Stream& stream) {
  require(event.device == stream.device, cudaErrorInvalidResourceHandle);
  event.recorded_in = stream.id;
  if (stream.capture) {
    valid_capture(stream);
    event.capture = stream.capture;
    event.nodes = stream.frontier;
    return;
  }
  event.capture = nullptr;
  event.nodes.clear();
  event.mark = Streams::get().enqueue(stream, record_job(event));
}

void wait_for_event(Stream& stream, const Event& event) {
  const bool dropped = is_dropped(stream, event);
  if (stream.capture || event.capture) {
    join_capture(stream, event, dropped);
    return;
  }
  const MarkPtr mark = mark_of(event);
  if (mark && dropped)
    Executor::get().hold_back(mark);
  else if (mark)
    Streams::get().enqueue(stream, Job{.run = nullptr, .after = {mark}});
}

namespace {

// Of a green context, the device's default stream as well: it has none of its own.
std::vector<Stream*> uncaptured_streams(const Context& context) {
  std::vector<Stream*> streams = Streams::get().of(context);
  const OnDevice there(context.device);
  if (context.part) streams.push_back(&Streams::get().find(cudaStreamLegacy));
  bool captured = false;
  for (const Stream* stream : streams) {
    if (!stream->capture) continue;
    stream->capture->valid = false;
    captured = true;
  }
  require(!captured, cudaErrorStreamCaptureUnsupported);
  return streams;
}

}  // namespace

void record_event(Event& event, const Context& context) {
  require(event.device == context.device, cudaErrorInvalidResourceHandle);
  Job job = record_job(event);
  for (const Stream* stream : uncaptured_streams(context)) job.after.push_back(stream->tail);
  job.use.device = context.device;
  event.recorded_in = 0;
  event.capture = nullptr;
  event.nodes.clear();
  event.mark = Executor::get().submit(std::move(job));
}

void wait_for_event(const Context& context, const Event& event) {
  if (event.capture) {
    event.capture->valid = false;
    throw ApiError{cudaErrorStreamCaptureUnsupported};
  }
  for (Stream* stream : uncaptured_streams(context)) wait_for_event(*stream, event);
  if (const MarkPtr mark = mark_of(event); mark && context.part)
    Streams::get().let_wait(context, mark);
}

void capture_record(Stream& stream, cudaEvent_t handle) {
  require(stream.capture != nullptr, cudaErrorIllegalState);
  capture_work(stream, EventRecord{handle});
}

void capture_wait(Stream& stream, cudaEvent_t handle) {
  const bool dropped = is_dropped(stream, event_of(handle));
  require(stream.capture != nullptr, cudaErrorIllegalState);
  if (!dropped) capture_work(stream, EventWait{handle});
}

EventMark awaited_mark(cudaEvent_t handle) {
  const std::lock_guard lock(Runtime::get().mutex);
  require_permitted();
  const Event& event = event_of(handle);
  require_not_captured(event);
  require(forbid_during_capture());
  return {mark_of(event), event.device};
}

MarkPtr timed_mark(cudaEvent_t handle) {
  const Event& event = event_of(handle);
  require_not_captured(event);
  require(event.mark && (event.flags & cudaEventDisableTiming) == 0,
          cudaErrorInvalidResourceHandle);
  return event.mark;
}

}  // namespace aisp::sim
