#include "lab/trace/dependencies.hpp"

#include <algorithm>
#include <set>

namespace aisp::lab {

void Dependencies::come_after(TraceInterval& interval, const Point& point) const {
  for (const std::size_t place : point.places) {
    const TraceInterval& before = trace_.intervals[place];
    // A programmatic launch begins before the one ahead of it has ended: it did not wait for that.
    if (before.end > interval.start) continue;
    if (!interval.after || before.end > trace_.intervals[*interval.after].end)
      interval.after = place;
  }
}

void Dependencies::enqueue(const std::vector<std::size_t>& places) {
  if (places.size() == 1) {
    TraceInterval& interval = trace_.intervals[places.front()];
    Point& stream = streams_[{interval.device, interval.stream}];
    come_after(interval, stream);
    stream.places = places;
    return;
  }
  // Of a graph: each after those of the same launch on its stream, the first ones after whatever
  // the launch itself comes after, which is the stream of the one that began first.
  if (places.empty()) return;
  const TraceInterval& first = trace_.intervals[places.front()];
  const Stream launched_on{first.device, first.stream};
  const Point before = streams_[launched_on];
  std::set<Stream> begun;
  std::map<Stream, std::size_t> latest;
  for (const std::size_t place : places) {
    TraceInterval& interval = trace_.intervals[place];
    const Stream stream{interval.device, interval.stream};
    if (begun.insert(stream).second)
      come_after(interval, before);
    else
      come_after(interval, {{latest[stream]}});
    latest[stream] = place;
  }
  streams_[launched_on].places = places;
}

void Dependencies::record(std::uint64_t event, int device, std::uint64_t stream) {
  events_[event] = streams_[{device, stream}];
}

void Dependencies::hold(int device, std::uint64_t stream, std::uint64_t event) {
  const auto found = events_.find(event);
  if (found == events_.end()) return;
  auto& places = streams_[{device, stream}].places;
  places.insert(places.end(), found->second.places.begin(), found->second.places.end());
}

}  // namespace aisp::lab
