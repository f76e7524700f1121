#include "sim/runtime/stream/event.hpp"

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

}  // namespace

namespace {

// Whoever else has the event sees when the stream comes to this record.
void record_shared(const std::shared_ptr<SharedEvent>& shared, Stream& stream) {
  const std::uint64_t number = shared->record();
  const auto reach = [shared, number](double) {
    shared->reach(number);
    return TaskResult{};
  };
  Streams::get().enqueue(stream, Job{.run = reach, .even_if_lost = true});
}

// Until the last record so far, of whatever process, is reached.
Job wait_shared(const std::shared_ptr<SharedEvent>& shared) {
  const std::uint64_t number = shared->recorded();
  return Job{.run = nullptr, .when = [shared, number] { return shared->reached(number); }};
}

cudaEvent_t add_event(unsigned flags, std::shared_ptr<SharedEvent> shared) {
  auto event = std::make_unique<Event>();
  event->flags = flags;
  event->device = current_device();
  event->shared = std::move(shared);
  const auto handle = reinterpret_cast<cudaEvent_t>(event.get());
  const std::lock_guard lock(Runtime::get().mutex);
  events().emplace(event.get(), std::move(event));
  return handle;
}

}  // namespace

cudaEvent_t create_event(unsigned flags) {
  const bool shared = (flags & cudaEventInterprocess) != 0;
  return add_event(flags, shared ? std::make_shared<SharedEvent>() : nullptr);
}

cudaEvent_t open_event(const FilePlace& place) {
  return add_event(cudaEventInterprocess | cudaEventDisableTiming,
                   std::make_shared<SharedEvent>(place));
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
  if (event.shared) record_shared(event.shared, stream);
  event.mark = Streams::get().enqueue(stream, Job{});
}

void wait_for_event(Stream& stream, const Event& event) {
  const bool dropped = is_dropped(stream, event);
  if (stream.capture || event.capture)
    join_capture(stream, event, dropped);
  else if (event.mark && dropped)
    Executor::get().hold_back(event.mark);
  else if (event.mark)
    Streams::get().enqueue(stream, Job{.run = nullptr, .after = {event.mark}});
  if (event.shared && !stream.capture && !dropped)
    Streams::get().enqueue(stream, wait_shared(event.shared));
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
  if (!event.shared || event.shared->reached(event.shared->recorded()))
    return {event.mark, event.device};
  Job job = wait_shared(event.shared);
  job.use.device = event.device;
  job.after = {event.mark};
  return {Executor::get().submit(std::move(job)), event.device};
}

MarkPtr timed_mark(cudaEvent_t handle) {
  const Event& event = event_of(handle);
  require_not_captured(event);
  require(event.mark && (event.flags & cudaEventDisableTiming) == 0,
          cudaErrorInvalidResourceHandle);
  return event.mark;
}

}  // namespace aisp::sim
