#include "lab/trace/trace.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>

#include "base/refuse.hpp"

namespace aisp::lab {
namespace {

// "8 MiB", "1.5 KiB", "100 B".
std::string binary_size(std::int64_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.4g %s", value, units[unit]);
  return text;
}

}  // namespace

std::string device_name(const Trace& trace, int device) {
  for (const auto& named : trace.devices)
    if (named.device == device) return named.name;
  return base::say(trace.simulated ? "simulated GPU " : "GPU ", device);
}

std::string stream_name(const Trace& trace, int device, std::uint64_t stream) {
  for (const auto& named : trace.streams)
    if (named.device == device && named.stream == stream) return named.name;
  return base::say("stream ", stream);
}

std::string work_name(TraceEngine engine, std::int64_t bytes) {
  switch (engine) {
    case TraceEngine::compute:
      return "kernel";
    case TraceEngine::host:
      return "host function";
    case TraceEngine::fill:
      return "fill " + binary_size(bytes);
    case TraceEngine::device_copy:
      return "copy on device " + binary_size(bytes);
    case TraceEngine::peer:
      return "copy to peer " + binary_size(bytes);
    default:
      return base::say("copy ", name_of(engine), ' ', binary_size(bytes));
  }
}

void sort_intervals(Trace& trace) {
  std::vector<std::size_t> order(trace.intervals.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return trace.intervals[a].start < trace.intervals[b].start;
  });
  std::vector<std::size_t> place(order.size());
  std::vector<TraceInterval> sorted;
  for (const std::size_t old : order) {
    place[old] = sorted.size();
    sorted.push_back(trace.intervals[old]);
  }
  for (auto& interval : sorted)
    if (interval.after) interval.after = place[*interval.after];
  trace.intervals = std::move(sorted);
}

}  // namespace aisp::lab
