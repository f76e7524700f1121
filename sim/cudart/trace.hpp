// The schedule that was simulated, for whoever asks: what ran on which engine of which device, from
// when to when, and what it had to come after. Nothing is kept until a program asks for it through
// the aispTrace functions of trace.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace sim {

struct Job;
struct Stream;
struct Task;

namespace trace {

struct Interval {
  std::uint64_t session = 0;  // which trace it belongs to
  std::uint64_t number = 0;   // of the job, in the order of submission
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

// What the job, made of the task and placed on its engine, will show as. Null while no trace is
// taken, and for what no engine works on.
IntervalPtr describe(const Job& job, const Task& task, const Stream& stream);

// The executor calls these; null intervals are allowed.
void submitted(const IntervalPtr& interval, std::uint64_t number, double host_time);
void ran(const IntervalPtr& interval, double start, double end, const Cause& cause);
void host_waited(double from, double until);

}  // namespace trace
}  // namespace sim
