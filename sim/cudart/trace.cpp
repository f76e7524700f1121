#include "sim/cudart/trace.hpp"

#include <unistd.h>

#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>
#include <vector>

#include "sim/cudart/module.hpp"
#include "sim/cudart/stream.hpp"

namespace sim::trace {
namespace {

using nlohmann::json;

struct HostSpan {
  std::uint64_t session = 0;
  std::string name;  // "" for a wait
  double start = 0, end = 0;
  long thread = 0;
};

struct Session {
  std::mutex mutex;
  std::uint64_t number = 0;
  double begin = 0;
  std::vector<Interval> intervals;
  std::vector<HostSpan> ranges, waits, marks;
};

Session& session() {
  static auto* const all = new Session;
  return *all;
}
std::atomic<std::uint64_t> active{0};  // number of the session; 0: no trace is taken
thread_local std::vector<HostSpan> open_ranges;

long this_thread() { return static_cast<long>(gettid()); }

// "outer/inner"; what was begun under an earlier trace goes on.
std::string range_path() {
  std::string path;
  for (const HostSpan& range : open_ranges) path += (path.empty() ? "" : "/") + range.name;
  return path;
}

struct Describer {
  Interval& interval;
  Engine engine;

  bool operator()(const KernelCall& call) const {
    interval.engine = "compute";
    interval.kernel = call.kernel->name;
    return true;
  }
  bool operator()(const CopyCall& call) const {
    interval.engine = engine == Engine::to_device ? "to device"
                      : engine == Engine::to_host ? "to host"
                      : engine == Engine::peer    ? "peer"
                                                  : "device copy";
    interval.bytes = call.bytes();
    return true;
  }
  bool operator()(const FillCall& call) const {
    interval.engine = "fill";
    interval.bytes = call.bytes();
    return true;
  }
  bool operator()(const HostCall&) const {
    interval.engine = "host function";
    return true;
  }
  bool operator()(const auto&) const { return false; }
};

json list(const std::vector<HostSpan>& spans) {
  json array = json::array();
  for (const HostSpan& span : spans)
    array.push_back(
        {{"name", span.name}, {"start", span.start}, {"end", span.end}, {"thread", span.thread}});
  return array;
}

json list(const std::vector<Interval>& intervals) {
  json array = json::array();
  for (const Interval& interval : intervals)
    array.push_back({{"number", interval.number},
                     {"device", interval.device},
                     {"stream", interval.stream},
                     {"engine", interval.engine},
                     {"kernel", interval.kernel},
                     {"bytes", interval.bytes},
                     {"range", interval.range},
                     {"enqueued", interval.submitted_at},
                     {"start", interval.start},
                     {"end", interval.end},
                     {"after", interval.after}});
  return array;
}

}  // namespace

IntervalPtr describe(const Job& job, const Task& task, const Stream& stream) {
  const std::uint64_t number = active.load();
  if (number == 0) return nullptr;
  Interval interval;
  if (!std::visit(Describer{interval, job.share.engine}, task.what)) return nullptr;
  interval.session = number;
  interval.device = job.share.device;
  interval.stream = stream.id;
  interval.range = range_path();
  return std::make_shared<Interval>(std::move(interval));
}

void submitted(const IntervalPtr& interval, std::uint64_t number, double host_time) {
  if (!interval) return;
  interval->number = number;
  interval->submitted_at = host_time;
}

void ran(const IntervalPtr& interval, double start, double end, const Cause& cause) {
  if (!interval) return;
  interval->start = start;
  interval->end = end;
  interval->after = cause.number;
  Session& all = session();
  const std::lock_guard lock(all.mutex);
  if (interval->session == active.load()) all.intervals.push_back(*interval);
}

void host_waited(double from, double until) {
  const std::uint64_t number = active.load();
  if (number == 0 || until <= from) return;
  Session& all = session();
  const std::lock_guard lock(all.mutex);
  all.waits.push_back({number, "", from, until, this_thread()});
}

}  // namespace sim::trace

using sim::Executor;
using sim::trace::session;

// From here on what is submitted is kept; what was kept before is forgotten.
AISP_API void aispTraceStart();
AISP_API void aispTraceStart() {
  const double now = Executor::get().host_time();
  auto& all = session();
  const std::lock_guard lock(all.mutex);
  all.intervals.clear();
  all.ranges.clear();
  all.waits.clear();
  all.marks.clear();
  all.begin = now;
  sim::trace::active = ++all.number;
}

AISP_API void aispTraceStop();
AISP_API void aispTraceStop() { sim::trace::active = 0; }

// What was kept, as a JSON object with its lists in the order in which things ended; times are
// simulated nanoseconds since the process began. Valid until the thread asks again.
AISP_API const char* aispTraceRead();
AISP_API const char* aispTraceRead() {
  static thread_local std::string text;
  auto& all = session();
  const std::lock_guard lock(all.mutex);
  nlohmann::json marks = nlohmann::json::array();
  for (const auto& mark : all.marks)
    marks.push_back({{"text", mark.name}, {"at", mark.start}, {"thread", mark.thread}});
  const nlohmann::json schedule{{"begin", all.begin},
                                {"intervals", sim::trace::list(all.intervals)},
                                {"waits", sim::trace::list(all.waits)},
                                {"ranges", sim::trace::list(all.ranges)},
                                {"marks", std::move(marks)}};
  text = schedule.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return text.c_str();
}

// What this thread submits from now on belongs to the range, until it is popped; ranges nest.
AISP_API void aispTracePush(const char* name);
AISP_API void aispTracePush(const char* name) {
  sim::trace::open_ranges.push_back({.session = sim::trace::active,
                                     .name = name,
                                     .start = Executor::get().host_time(),
                                     .thread = sim::trace::this_thread()});
}

AISP_API void aispTracePop();
AISP_API void aispTracePop() {
  auto& open = sim::trace::open_ranges;
  if (open.empty()) return;
  auto range = std::move(open.back());
  open.pop_back();
  range.end = Executor::get().host_time();
  auto& all = session();
  const std::lock_guard lock(all.mutex);
  if (range.session == sim::trace::active) all.ranges.push_back(std::move(range));
}

AISP_API void aispTraceMark(const char* text);
AISP_API void aispTraceMark(const char* text) {
  const double now = Executor::get().host_time();
  auto& all = session();
  const std::lock_guard lock(all.mutex);
  all.marks.push_back({sim::trace::active, text, now, now, sim::trace::this_thread()});
}
