// What a device and the host did and when: intervals on streams, calls and ranges of the host, and
// moments that were worth a mark. Times are nanoseconds since the trace began.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/case/names.hpp"

namespace aisp::lab {

// What can work at the same time as the others. `host` is a function that a stream calls on the
// host: its stream waits for it, the device does not work. `storage` is on no stream: it is made of
// the host's ranges that are called lab::storage_range.
enum class TraceEngine { compute, to_device, to_host, device_copy, fill, peer, host, storage };
constexpr auto names_of(TraceEngine) {
  return std::to_array<Name<TraceEngine>>({{TraceEngine::compute, "compute"},
                                           {TraceEngine::to_device, "to device"},
                                           {TraceEngine::to_host, "to host"},
                                           {TraceEngine::device_copy, "device copy"},
                                           {TraceEngine::fill, "fill"},
                                           {TraceEngine::peer, "peer"},
                                           {TraceEngine::host, "host function"},
                                           {TraceEngine::storage, "storage"}});
}
inline constexpr int trace_engines = static_cast<int>(names_of(TraceEngine{}).size());

struct TraceInterval {
  int device = 0;
  std::uint64_t stream = 0;
  TraceEngine engine = TraceEngine::compute;
  std::string name{};    // "ch11::scale", "copy to device 8 MiB"
  std::string kernel{};  // the whole name of a kernel, with its template arguments
  double start = 0, end = 0;
  std::int64_t bytes = 0;
  std::uint64_t correlation = 0;     // of the call that enqueued it; 0: unknown
  std::string range{};               // that it was enqueued under: "prefetch/copy pages"
  std::optional<double> enqueued{};  // when the host began to
  // The one of those that it had to come after, by its stream or by an event, that ended last: its
  // place among the intervals of the trace.
  std::optional<std::size_t> after{};
};

struct HostInterval {
  std::uint64_t thread = 0;
  std::string name;  // "cudaStreamSynchronize", or that of a range
  double start = 0, end = 0;
  bool range = false;       // a lab::Range, no call
  bool blocks = false;      // a call that returns when the device has come to some point
  std::string waits_for{};  // "stream copies", "an event", "all streams"
};

struct TraceMark {
  std::uint64_t thread = 0;
  std::string text;
  double at = 0;
};

struct StreamName {
  int device = 0;
  std::uint64_t stream = 0;
  std::string name;
};

// Where the number alone does not say it: a device of another process.
struct DeviceName {
  int device = 0;
  std::string name;
};

struct Trace {
  bool simulated = false;
  std::vector<TraceInterval> intervals{};  // by start
  std::vector<HostInterval> host{};
  std::vector<TraceMark> marks{};
  std::vector<StreamName> streams{};
  std::vector<DeviceName> devices{};
};

// The name that the device was given, or "GPU 1", "simulated GPU 1".
std::string device_name(const Trace& trace, int device);

// The name that the stream was given, or "stream 13".
std::string stream_name(const Trace& trace, int device, std::uint64_t stream);

// "copy to device 8 MiB", "fill 512 B", "host function": of what has no name of its own.
std::string work_name(TraceEngine engine, std::int64_t bytes);

// Puts the intervals in the order of their starts; `after` of each still means the same one.
void sort_intervals(Trace& trace);

}  // namespace aisp::lab
