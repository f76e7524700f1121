#include "lab/trace/schedule.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/refuse.hpp"
#include "lab/profile/demangle.hpp"

namespace aisp::lab {
namespace {

using nlohmann::json;

TraceEngine engine_called(const std::string& name) {
  if (const auto engine = value_named<TraceEngine>(name)) return *engine;
  base::refuse(base::Exit::environment, "the simulator's schedule has an unknown engine '", name,
               "'; its library is not of this aisp");
}

TraceInterval interval_of(const json& object, double begin) {
  TraceInterval interval{.device = object.at("device"),
                         .stream = object.at("stream"),
                         .engine = engine_called(object.at("engine")),
                         .kernel = readable(object.at("kernel").get<std::string>()),
                         .start = object.at("start").get<double>() - begin,
                         .end = object.at("end").get<double>() - begin,
                         .bytes = object.at("bytes"),
                         .correlation = object.at("number"),
                         .range = object.at("range"),
                         .enqueued = object.at("enqueued").get<double>() - begin};
  interval.name = interval.kernel.empty() ? work_name(interval.engine, interval.bytes)
                                          : short_name(interval.kernel);
  return interval;
}

}  // namespace

Trace trace_of_schedule(const std::string& text) {
  const json schedule = json::parse(text);
  const double begin = schedule.at("begin");
  Trace trace;
  trace.simulated = true;
  std::map<std::uint64_t, std::size_t> places;
  for (const auto& object : schedule.at("intervals")) {
    places[object.at("number").get<std::uint64_t>()] = trace.intervals.size();
    trace.intervals.push_back(interval_of(object, begin));
  }
  std::size_t place = 0;
  for (const auto& object : schedule.at("intervals")) {
    const auto found = places.find(object.at("after").get<std::uint64_t>());
    if (found != places.end()) trace.intervals[place].after = found->second;
    ++place;
  }
  sort_intervals(trace);
  for (const auto& object : schedule.at("waits"))
    trace.host.push_back({.thread = object.at("thread"),
                          .name = "wait",
                          .start = object.at("start").get<double>() - begin,
                          .end = object.at("end").get<double>() - begin,
                          .blocks = true});
  for (const auto& object : schedule.at("ranges"))
    trace.host.push_back({.thread = object.at("thread"),
                          .name = object.at("name"),
                          .start = object.at("start").get<double>() - begin,
                          .end = object.at("end").get<double>() - begin,
                          .range = true});
  std::stable_sort(trace.host.begin(), trace.host.end(),
                   [](const HostInterval& a, const HostInterval& b) { return a.start < b.start; });
  for (const auto& object : schedule.at("marks"))
    trace.marks.push_back(
        {object.at("thread"), object.at("text"), object.at("at").get<double>() - begin});
  return trace;
}

}  // namespace aisp::lab
