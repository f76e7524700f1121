// The schedule that was simulated, for whoever asks: what ran on which engine of which device, from
// when to when, and what it had to come after. Nothing is kept until a program asks for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace aisp::sim::trace {

struct Interval {
  std::uint64_t recording = 0;  // which trace it belongs to
  std::uint64_t number = 0;     // of the job, in the order of submission
  int device = 0;
  unsigned long long stream = 0;
  const char* engine = "";    // "compute", "to device", …
  std::string kernel;         // mangled
  std::size_t bytes = 0;      // that are copied or filled
  std::string range;          // that it was submitted under: "outer/inner"
  double submitted_at = 0;    // the host's simulated time
  double start = 0, end = 0;  // nanoseconds
  std::uint64_t after = 0;    // number of the job that it had to come after and that ended last
};
using IntervalPtr = std::shared_ptr<Interval>;

// The last interval that a point of the device's work had to wait for.
struct Cause {
  std::uint64_t number = 0;  // 0: none that is known
  double end = 0;
  void follow(const Cause& other) {
    if (other.number != 0 && other.end >= end) *this = other;
  }
};

// What will be shown of a job that is submitted now, to be completed by whoever knows it. Null
// while no trace is taken.
IntervalPtr begin_interval();

// The executor calls these; null intervals are allowed.
void submitted(const IntervalPtr& interval, std::uint64_t number, double host_time);
void ran(const IntervalPtr& interval, double start, double end, const Cause& cause);
void host_waited(double from, double until);

// From here on what is submitted is kept; what was kept before is forgotten. `now`: the host's
// simulated time, here and below.
void start(double now);
void stop();
// What was kept, as a JSON object with its lists in the order in which things ended; times are
// simulated nanoseconds since the process began.
std::string read();
// What this thread submits from now on belongs to the range, until it is popped; ranges nest.
void push_range(const char* name, double now);
void pop_range(double now);
void mark(const char* text, double now);

}  // namespace aisp::sim::trace
