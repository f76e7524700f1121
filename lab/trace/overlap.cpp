#include "lab/trace/overlap.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "lab/case/range.hpp"
#include "lab/trace/wait.hpp"

namespace aisp::lab {
namespace {

using Places = std::vector<std::size_t>;  // of intervals in the trace

bool works(const TraceInterval& interval) { return interval.engine != TraceEngine::host; }

// When at least one thread read from storage: the reads, and what they cover in stretches that do
// not touch. However many reads are under way at once, they are one engine's.
struct Reads {
  struct Stretch {
    double start, end;
  };
  std::vector<Stretch> stretches{};  // in order
  int count = 0;

  double busy() const {
    double length = 0;
    for (const auto& [start, end] : stretches) length += end - start;
    return length;
  }
};

Reads reads_of(const Trace& trace) {
  std::vector<Reads::Stretch> all;
  Reads reads;
  for (const HostInterval& interval : trace.host) {
    if (!interval.range || interval.name != storage_range) continue;
    ++reads.count;
    // Simulated time knows no disk: it passes in a read while another thread waits for the device.
    if (!trace.simulated && interval.end > interval.start)
      all.push_back({interval.start, interval.end});
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
  for (const auto& [start, end] : all)
    if (!reads.stretches.empty() && start <= reads.stretches.back().end)
      reads.stretches.back().end = std::max(reads.stretches.back().end, end);
    else
      reads.stretches.push_back({start, end});
  return reads;
}

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
void count_together(const Trace& trace, const Places& places, const Reads& reads,
                    Overlap& overlap) {
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
  for (const auto& [start, end] : reads.stretches) {
    edges.push_back({start, 1, TraceEngine::storage});
    edges.push_back({end, -1, TraceEngine::storage});
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

// From `begin` on, where the window does.
std::vector<Gap> gaps_between(const Trace& trace, const Places& places, double begin) {
  std::vector<Gap> gaps;
  double end = begin;
  for (const std::size_t place : places) {
    const TraceInterval& interval = trace.intervals[place];
    if (interval.start > end) gaps.push_back({end, interval.start, place});
    end = std::max(end, interval.end);
  }
  return gaps;
}

Overlap overlap_of(const Trace& trace, const Reads& reads, int device) {
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
  if (reads.count > 0) overlap.engines.push_back({TraceEngine::storage, reads.busy(), reads.count});
  if (working.empty()) return overlap;
  double first = trace.intervals[working.front()].start, last = first;
  for (const std::size_t place : working) last = std::max(last, trace.intervals[place].end);
  if (!reads.stretches.empty()) {
    first = std::min(first, reads.stretches.front().start);
    last = std::max(last, reads.stretches.back().end);
  }
  overlap.window = last - first;
  overlap.busy = covered(trace, working);
  overlap.idle = overlap.window - overlap.busy;
  count_together(trace, working, reads, overlap);
  overlap.gaps = gaps_between(trace, working, first);
  for (const Gap& gap : overlap.gaps)
    if (!overlap.longest || gap.length() > overlap.longest->length()) overlap.longest = gap;
  if (overlap.longest)
    overlap.waited_for = waited_for(trace, overlap.longest->start, overlap.longest->ended_by);
  return overlap;
}

}  // namespace

std::vector<Overlap> overlaps_of(const Trace& trace) {
  const Reads reads = reads_of(trace);  // of the host, beside whichever device
  std::set<int> devices;
  for (const auto& interval : trace.intervals) devices.insert(interval.device);
  std::vector<Overlap> overlaps;
  for (const int device : devices) overlaps.push_back(overlap_of(trace, reads, device));
  return overlaps;
}

}  // namespace aisp::lab
