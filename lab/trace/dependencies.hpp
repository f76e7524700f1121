// Which work comes after which, from what the host said in its order: streams run their own work
// one after the other, and an event that was recorded holds other streams.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "lab/trace/trace.hpp"

namespace aisp::lab {

class Dependencies {
 public:
  // Fills TraceInterval::after of the trace's intervals.
  explicit Dependencies(Trace& trace) : trace_(trace) {}

  // One call enqueued these: one interval, or those of a graph, which are told apart by nothing
  // but their streams and times.
  void enqueue(const std::vector<std::size_t>& places);
  void record(std::uint64_t event, int device, std::uint64_t stream);
  void hold(int device, std::uint64_t stream, std::uint64_t event);

 private:
  using Stream = std::pair<int, std::uint64_t>;  // numbers of streams repeat on other devices
  struct Point {                                 // what the next work of a stream comes after
    std::vector<std::size_t> places;
  };
  void come_after(TraceInterval& interval, const Point& point) const;

  Trace& trace_;
  std::map<Stream, Point> streams_;
  std::map<std::uint64_t, Point> events_;
};

}  // namespace aisp::lab
