#include "sim/runtime/stream/trace.hpp"

#include <unistd.h>

#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>
#include <vector>

namespace aisp::sim::trace {
namespace {

using nlohmann::json;

struct HostSpan {
  std::uint64_t recording = 0;
  std::string name;  // "" for a wait
  double start = 0, end = 0;
  long thread = 0;
};

struct Recording {
  std::mutex mutex;
  std::uint64_t number = 0;
  double begin = 0;
  std::vector<Interval> intervals;
  std::vector<HostSpan> ranges, waits, marks;
};

Recording& recording() {
  static auto* const all = new Recording;
  return *all;
}
std::atomic<std::uint64_t> active{0};  // number of the recording; 0: no trace is taken
thread_local std::vector<HostSpan> open_ranges;

long this_thread() { return static_cast<long>(gettid()); }

// "outer/inner"; what was begun under an earlier trace goes on.
std::string range_path() {
  std::string path;
  for (const HostSpan& range : open_ranges) path += (path.empty() ? "" : "/") + range.name;
  return path;
}

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

IntervalPtr begin_interval() {
  const std::uint64_t number = active.load();
  if (number == 0) return nullptr;
  auto interval = std::make_shared<Interval>();
  interval->recording = number;
  interval->range = range_path();
  return interval;
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
  Recording& all = recording();
  const std::lock_guard lock(all.mutex);
  if (interval->recording == active.load()) all.intervals.push_back(*interval);
}

void host_waited(double from, double until) {
  const std::uint64_t number = active.load();
  if (number == 0 || until <= from) return;
  Recording& all = recording();
  const std::lock_guard lock(all.mutex);
  all.waits.push_back({number, "", from, until, this_thread()});
}

void start(double now) {
  Recording& all = recording();
  const std::lock_guard lock(all.mutex);
  all.intervals.clear();
  all.ranges.clear();
  all.waits.clear();
  all.marks.clear();
  all.begin = now;
  active = ++all.number;
}

void stop() { active = 0; }

std::string read() {
  Recording& all = recording();
  const std::lock_guard lock(all.mutex);
  json marks = json::array();
  for (const HostSpan& mark : all.marks)
    marks.push_back({{"text", mark.name}, {"at", mark.start}, {"thread", mark.thread}});
  const json schedule{{"begin", all.begin},
                      {"intervals", list(all.intervals)},
                      {"waits", list(all.waits)},
                      {"ranges", list(all.ranges)},
                      {"marks", std::move(marks)}};
  return schedule.dump(-1, ' ', false, json::error_handler_t::replace);
}

void push_range(const char* name, double now) {
  open_ranges.push_back({.recording = active, .name = name, .start = now, .thread = this_thread()});
}

void pop_range(double now) {
  if (open_ranges.empty()) return;
  HostSpan range = std::move(open_ranges.back());
  open_ranges.pop_back();
  range.end = now;
  Recording& all = recording();
  const std::lock_guard lock(all.mutex);
  if (range.recording == active) all.ranges.push_back(std::move(range));
}

void mark(const char* text, double now) {
  Recording& all = recording();
  const std::lock_guard lock(all.mutex);
  all.marks.push_back({active, text, now, now, this_thread()});
}

}  // namespace aisp::sim::trace
