#include "lab/trace/together.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/refuse.hpp"
#include "lab/case/elsewhere.hpp"
#include "lab/trace/collector.hpp"

namespace aisp::lab {
namespace {

using nlohmann::json;

struct Meeting {
  double start, end;
};

// Ranges nest: "step/start line".
bool is_meeting(const std::string& range) {
  return range == meeting_range || range.ends_with(std::string("/") + meeting_range);
}

std::optional<Meeting> meeting_of(const Trace& trace) {
  std::optional<Meeting> found;
  for (const auto& interval : trace.intervals) {
    if (!is_meeting(interval.range)) continue;
    if (!found) found = {interval.start, interval.end};
    found->start = std::min(found->start, interval.start);
    found->end = std::max(found->end, interval.end);
  }
  return found;
}

// Some of them may have come to the meeting before this process's trace begins.
void begin_at_zero(Trace& trace, double first) {
  if (first >= 0) return;
  for (auto& interval : trace.intervals) {
    interval.start -= first;
    interval.end -= first;
    if (interval.enqueued) *interval.enqueued -= first;
  }
  for (auto& interval : trace.host) {
    interval.start -= first;
    interval.end -= first;
  }
  for (auto& mark : trace.marks) mark.at -= first;
}

class HeardProcess : public ProcessTrace {
 public:
  explicit HeardProcess(bool everything)
      : collector_(start_trace(everything ? Detail::everything : Detail::work)) {}
  void restart() override { collector_->restart(); }
  std::string text() override { return text_of_trace(collector_->trace()); }

 private:
  std::unique_ptr<Collector> collector_;
};

}  // namespace

void add_process(Trace& whole, const Trace& part, const std::string& process) {
  const auto ours = meeting_of(whole), theirs = meeting_of(part);
  if (!ours || !theirs) return;
  const double shift = ours->end - theirs->end;
  std::set<int> taken;
  for (const auto& interval : whole.intervals) taken.insert(interval.device);
  std::map<int, int> devices;
  const auto device = [&](int theirs_number) {
    const auto [found, is_new] = devices.try_emplace(theirs_number, theirs_number);
    if (is_new) {
      while (!taken.insert(found->second).second) ++found->second;
      whole.devices.push_back(
          {found->second,
           base::say(process, ": ", part.simulated ? "simulated GPU " : "GPU ", theirs_number)});
    }
    return found->second;
  };
  // Where each of their intervals is now.
  std::map<std::size_t, std::size_t> places;
  for (std::size_t i = 0; i < part.intervals.size(); ++i) {
    if (part.intervals[i].start < theirs->start) continue;
    places[i] = whole.intervals.size();
    TraceInterval& added = whole.intervals.emplace_back(part.intervals[i]);
    added.device = device(added.device);
    added.start += shift;
    added.end += shift;
    if (added.enqueued) *added.enqueued += shift;
    added.correlation = 0;  // a number of theirs
  }
  for (const auto& [old, place] : places) {
    auto& after = whole.intervals[place].after;
    const auto found = after ? places.find(*after) : places.end();
    after = found == places.end() ? std::nullopt : std::optional(found->second);
  }
  for (const auto& stream : part.streams)
    if (devices.contains(stream.device))
      whole.streams.push_back({devices.at(stream.device), stream.stream, stream.name});
  sort_intervals(whole);
  if (!whole.intervals.empty()) begin_at_zero(whole, whole.intervals.front().start);
}

std::string text_of_trace(const Trace& trace) {
  json text{
      {"simulated", trace.simulated}, {"intervals", json::array()}, {"streams", json::array()}};
  for (const auto& one : trace.intervals)
    text["intervals"].push_back({one.device, one.stream, std::string(name_of(one.engine)), one.name,
                                 one.kernel, one.start, one.end, one.bytes, one.range,
                                 one.enqueued ? json(*one.enqueued) : json(nullptr),
                                 one.after ? json(*one.after) : json(nullptr)});
  for (const auto& one : trace.streams)
    text["streams"].push_back({one.device, one.stream, one.name});
  return text.dump(-1, ' ', false, json::error_handler_t::replace);
}

Trace trace_of_text(const std::string& text) {
  try {
    const json object = json::parse(text);
    Trace trace;
    trace.simulated = object.at("simulated");
    for (const auto& row : object.at("intervals")) {
      const auto engine = value_named<TraceEngine>(row.at(2).get<std::string>());
      TraceInterval& one = trace.intervals.emplace_back();
      one.device = row.at(0);
      one.stream = row.at(1);
      one.engine = engine.value_or(TraceEngine::compute);
      one.name = row.at(3);
      one.kernel = row.at(4);
      one.start = row.at(5);
      one.end = row.at(6);
      one.bytes = row.at(7);
      one.range = row.at(8);
      if (!row.at(9).is_null()) one.enqueued = row.at(9).get<double>();
      if (!row.at(10).is_null()) one.after = row.at(10).get<std::size_t>();
      if (!engine || (one.after && *one.after >= object.at("intervals").size()))
        throw std::runtime_error("an interval that cannot be");
    }
    for (const auto& row : object.at("streams"))
      trace.streams.push_back({row.at(0), row.at(1), row.at(2)});
    return trace;
  } catch (const std::exception& error) {
    base::refuse(base::Exit::environment, "another process has sent ", text.size(),
                 " bytes that are no trace: ", error.what());
  }
}

void offer_process_trace() {
  set_process_trace([](bool everything) -> std::unique_ptr<ProcessTrace> {
    return std::make_unique<HeardProcess>(everything);
  });
}

}  // namespace aisp::lab
