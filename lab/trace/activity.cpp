#include "lab/trace/activity.hpp"

#include <algorithm>

#include "lab/profile/demangle.hpp"
#include "lab/trace/dependencies.hpp"

namespace aisp::lab {
namespace {

TraceEngine engine_of_copy(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
      return TraceEngine::to_device;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
      return TraceEngine::to_host;
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return TraceEngine::peer;
    default:
      return TraceEngine::device_copy;
  }
}

// Nanoseconds from `begin`; what lies before it is negative.
double since(std::uint64_t begin, std::uint64_t time) {
  return static_cast<double>(static_cast<std::int64_t>(time - begin));
}

bool blocks_host(const std::string& call) {
  if (call.find("Synchronize") != std::string::npos) return true;
  if (call.find("Async") != std::string::npos) return false;
  return call.starts_with("cudaMemcpy") || call.starts_with("cudaMemset") ||
         call.starts_with("cudaMalloc") || call.starts_with("cudaFree") ||
         call.starts_with("cudaHost");
}

}  // namespace

void ActivityLog::add_work(Work work) {
  // Both 0: CUPTI could not find out when it was.
  if (work.end == 0 || work.end < work.start) return;
  if (work.what.name.empty()) work.what.name = work_name(work.what.engine, work.what.bytes);
  work_.push_back(std::move(work));
}

void ActivityLog::add_kernel(const CUpti_ActivityKernel10& kernel) {
  devices_[kernel.contextId] = static_cast<int>(kernel.deviceId);
  const std::string whole = kernel.name != nullptr ? readable(kernel.name) : "kernel";
  add_work({.what = {.device = static_cast<int>(kernel.deviceId),
                     .stream = kernel.streamId,
                     .engine = TraceEngine::compute,
                     .name = short_name(whole),
                     .kernel = whole,
                     .correlation = kernel.correlationId},
            .start = kernel.start,
            .end = kernel.end});
}

void ActivityLog::add_copy(const CUpti_ActivityMemcpy6& copy) {
  devices_[copy.contextId] = static_cast<int>(copy.deviceId);
  add_work({.what = {.device = static_cast<int>(copy.deviceId),
                     .stream = copy.streamId,
                     .engine = engine_of_copy(copy.copyKind),
                     .bytes = static_cast<std::int64_t>(copy.bytes),
                     .correlation = copy.correlationId},
            .start = copy.start,
            .end = copy.end});
}

void ActivityLog::add_peer_copy(const CUpti_ActivityMemcpyPtoP4& copy) {
  devices_[copy.contextId] = static_cast<int>(copy.deviceId);
  add_work({.what = {.device = static_cast<int>(copy.deviceId),
                     .stream = copy.streamId,
                     .engine = TraceEngine::peer,
                     .bytes = static_cast<std::int64_t>(copy.bytes),
                     .correlation = copy.correlationId},
            .start = copy.start,
            .end = copy.end});
}

void ActivityLog::add_fill(const CUpti_ActivityMemset4& fill) {
  devices_[fill.contextId] = static_cast<int>(fill.deviceId);
  add_work({.what = {.device = static_cast<int>(fill.deviceId),
                     .stream = fill.streamId,
                     .engine = TraceEngine::fill,
                     .bytes = static_cast<std::int64_t>(fill.bytes),
                     .correlation = fill.correlationId},
            .start = fill.start,
            .end = fill.end});
}

void ActivityLog::add(const CUpti_Activity& activity) {
  switch (activity.kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return add_kernel(reinterpret_cast<const CUpti_ActivityKernel10&>(activity));
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return add_copy(reinterpret_cast<const CUpti_ActivityMemcpy6&>(activity));
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return add_peer_copy(reinterpret_cast<const CUpti_ActivityMemcpyPtoP4&>(activity));
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return add_fill(reinterpret_cast<const CUpti_ActivityMemset4&>(activity));
    case CUPTI_ACTIVITY_KIND_RUNTIME: {
      const auto& call = reinterpret_cast<const CUpti_ActivityAPI&>(activity);
      calls_[call.correlationId] = {call_name_(call.cbid), call.threadId, call.start, call.end};
      return;
    }
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT: {
      const auto& event = reinterpret_cast<const CUpti_ActivityCudaEvent2&>(activity);
      devices_[event.contextId] = static_cast<int>(event.deviceId);
      events_[event.cudaEventSyncId] = {static_cast<int>(event.deviceId), event.streamId,
                                        event.correlationId};
      return;
    }
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: {
      const auto& wait = reinterpret_cast<const CUpti_ActivitySynchronization2&>(activity);
      synchronizations_[wait.correlationId] = {wait.type, wait.streamId, wait.cudaEventSyncId,
                                               wait.contextId};
      return;
    }
    default:
      return;
  }
}

void ActivityLog::clear() {
  work_.clear();
  calls_.clear();
  events_.clear();
  synchronizations_.clear();
}

int ActivityLog::device_of(std::uint32_t context) const {
  const auto found = devices_.find(context);
  return found != devices_.end() ? found->second : 0;
}

std::string ActivityLog::waits_for(const Trace& trace, std::uint64_t correlation) const {
  const auto found = synchronizations_.find(correlation);
  if (found == synchronizations_.end()) return "";
  switch (found->second.type) {
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE:
      return "an event";
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE:
      return stream_name(trace, device_of(found->second.context), found->second.stream);
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE:
      return "all streams";
    default:
      return "";
  }
}

std::vector<HostInterval> ActivityLog::host_intervals(
    const Trace& trace, std::uint64_t begin, const std::vector<LoggedRange>& ranges) const {
  std::vector<HostInterval> host;
  std::uint64_t last = begin;
  for (const auto& [correlation, call] : calls_) {
    last = std::max(last, call.end);
    if (call.end < begin || call.end < call.start) continue;
    host.push_back({.thread = call.thread,
                    .name = call.name,
                    .start = since(begin, call.start),
                    .end = since(begin, call.end),
                    .blocks = blocks_host(call.name),
                    .waits_for = waits_for(trace, correlation)});
  }
  for (const auto& range : ranges)
    host.push_back(
        {.thread = range.thread,
         .name = range.name,
         .start = since(begin, range.start),
         .end = since(begin, range.end == UINT64_MAX ? std::max(last, range.start) : range.end),
         .range = true});
  std::stable_sort(host.begin(), host.end(),
                   [](const HostInterval& a, const HostInterval& b) { return a.start < b.start; });
  return host;
}

// Everything that orders work across streams, in the order in which the host said it: that is the
// order of the correlations, which CUPTI counts up with every call.
void ActivityLog::find_dependencies(Trace& trace) const {
  Dependencies dependencies(trace);
  std::map<std::uint64_t, std::vector<std::size_t>> enqueued;
  for (std::size_t i = 0; i < trace.intervals.size(); ++i)
    enqueued[trace.intervals[i].correlation].push_back(i);
  std::map<std::uint64_t, std::uint64_t> recorded;  // correlation of the call, the event's number
  for (const auto& [number, event] : events_) recorded[event.correlation] = number;
  std::map<std::uint64_t, int> steps;
  for (const auto& [correlation, places] : enqueued) steps[correlation];
  for (const auto& [correlation, number] : recorded) steps[correlation];
  for (const auto& [correlation, wait] : synchronizations_) steps[correlation];
  for (const auto& [correlation, unused] : steps) {
    if (const auto found = enqueued.find(correlation); found != enqueued.end())
      dependencies.enqueue(found->second);
    if (const auto found = recorded.find(correlation); found != recorded.end()) {
      const EventRecord& event = events_.at(found->second);
      dependencies.record(found->second, event.device, event.stream);
    }
    const auto wait = synchronizations_.find(correlation);
    if (wait != synchronizations_.end() &&
        wait->second.type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT)
      dependencies.hold(device_of(wait->second.context), wait->second.stream, wait->second.event);
  }
}

Trace ActivityLog::trace(std::uint64_t begin, const std::vector<LoggedRange>& ranges,
                         const std::vector<LoggedMark>& marks,
                         std::vector<StreamName> streams) const {
  Trace trace;
  trace.streams = std::move(streams);
  for (const Work& work : work_) {
    if (work.end < begin) continue;
    TraceInterval interval = work.what;
    interval.start = since(begin, work.start);
    interval.end = since(begin, work.end);
    if (const auto call = calls_.find(interval.correlation); call != calls_.end()) {
      interval.enqueued = since(begin, call->second.start);
      interval.range = path_at(ranges, call->second.thread, call->second.start);
    }
    trace.intervals.push_back(std::move(interval));
  }
  sort_intervals(trace);
  find_dependencies(trace);
  trace.host = host_intervals(trace, begin, ranges);
  for (const auto& mark : marks)
    trace.marks.push_back({mark.thread, mark.text, since(begin, mark.at)});
  return trace;
}

}  // namespace aisp::lab
