#include "lab/trace/overlap.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "lab/trace/wait.hpp"

namespace aisp::lab {
namespace {

using Places = std::vector<std::size_t>;  // of intervals in the trace

bool works(const TraceInterval& interval) { return interval.engine != TraceEngine::host; }

// Time that the intervals, which are in the order of their starts, cover together.
double covered(const Trace& trace, const Places& places) {
  double length = 0, end = 0;
  bool any = false;
  for (const std::size_t place : places) {
    const TraceInterval& interval = trace.intervals[place];
    const double from = any ? std::max(interval.start, end) : interval.start;
    if (interval.end > from) length += interval.end - from;
    end = any ? std::max(end, interval.end) : interval.end;
    any = true;
  }
  return length;
}

// Walks over starts and ends in their order; between two of them nothing changes.
void count_together(const Trace& trace, const Places& places, Overlap& overlap) {
  struct Edge {
    double at;
    int change;  // ends before starts of the same moment
    TraceEngine engine;
  };
  std::vector<Edge> edges;
  for (const std::size_t place : places) {
    const TraceInterval& interval = trace.intervals[place];
    if (interval.end <= interval.start) continue;
    edges.push_back({interval.start, 1, interval.engine});
    edges.push_back({interval.end, -1, interval.engine});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.at, a.change) < std::tie(b.at, b.change);
  });
  std::array<int, trace_engines> on_engine{};
  int at_once = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    at_once += edges[i].change;
    on_engine[static_cast<std::size_t>(edges[i].engine)] += edges[i].change;
    overlap.most_at_once = std::max(overlap.most_at_once, at_once);
    if (i + 1 == edges.size() || at_once < 2) continue;
    const double length = edges[i + 1].at - edges[i].at;
    overlap.overlapped += length;
    const auto used =
        std::count_if(on_engine.begin(), on_engine.end(), [](int n) { return n > 0; });
    if (used >= 2) overlap.engines_overlapped += length;
  }
}

std::vector<Gap> gaps_between(const Trace& trace, const Places& places) {
  std::vector<Gap> gaps;
  double end = trace.intervals[places.front()].end;
  for (const std::size_t place : places) {
    const TraceInterval& interval = trace.intervals[place];
    if (interval.start > end) gaps.push_back({end, interval.start, place});
    end = std::max(end, interval.end);
  }
  return gaps;
}

Overlap overlap_of(const Trace& trace, int device) {
  Overlap overlap{.device = device};
  Places working;
  std::array<Places, trace_engines> by_engine;
  for (std::size_t i = 0; i < trace.intervals.size(); ++i) {
    const TraceInterval& interval = trace.intervals[i];
    if (interval.device != device) continue;
    by_engine[static_cast<std::size_t>(interval.engine)].push_back(i);
    if (works(interval)) working.push_back(i);
  }
  for (int i = 0; i < trace_engines; ++i) {
    const Places& places = by_engine[static_cast<std::size_t>(i)];
    if (places.empty()) continue;
    overlap.engines.push_back(
        {static_cast<TraceEngine>(i), covered(trace, places), static_cast<int>(places.size())});
  }
  if (working.empty()) return overlap;
  double last = trace.intervals[working.front()].end;
  for (const std::size_t place : working) last = std::max(last, trace.intervals[place].end);
  overlap.window = last - trace.intervals[working.front()].start;
  overlap.busy = covered(trace, working);
  count_together(trace, working, overlap);
  overlap.gaps = gaps_between(trace, working);
  for (const Gap& gap : overlap.gaps) {
    overlap.idle += gap.length();
    if (!overlap.longest || gap.length() > overlap.longest->length()) overlap.longest = gap;
  }
  if (overlap.longest)
    overlap.waited_for = waited_for(trace, overlap.longest->start, overlap.longest->ended_by);
  return overlap;
}

}  // namespace

std::vector<Overlap> overlaps_of(const Trace& trace) {
  std::set<int> devices;
  for (const auto& interval : trace.intervals) devices.insert(interval.device);
  std::vector<Overlap> overlaps;
  for (const int device : devices) overlaps.push_back(overlap_of(trace, device));
  return overlaps;
}

}  // namespace aisp::lab
