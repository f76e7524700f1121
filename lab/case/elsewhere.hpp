// Processes that work for this one, and whose work a trace shows beside its own: ranks of a job.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace aisp::lab {

// What one of them has heard of its devices, as text that ProcessTrace writes.
struct TraceElsewhere {
  std::string process;  // "rank 2"
  std::string text;
};

// Announces itself for as long as it lives. All calls while its devices and this process's are
// idle.
class Elsewhere {
 public:
  Elsewhere();
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;
  virtual ~Elsewhere();

  // They listen from now on; `everything`: to the calls of their hosts too.
  virtual void listen(bool everything) = 0;
  // They forget what they have heard so far.
  virtual void restart() = 0;
  // What they have heard since, and listen no longer. Those that did nothing may be left out.
  virtual std::vector<TraceElsewhere> traces() = 0;
};
std::vector<Elsewhere*> all_elsewhere();

// Clocks of several processes, perhaps of several machines, have nothing in common but a moment at
// which all have met: the end of what is enqueued under a Range of this name. What comes before its
// beginning is not shown.
inline constexpr const char* meeting_range = "start line";

// The far side: this process's own trace, from the beginning of its life on.
class ProcessTrace {
 public:
  virtual ~ProcessTrace() = default;
  virtual void restart() = 0;
  virtual std::string text() = 0;
};
// Null in a program that has none.
std::unique_ptr<ProcessTrace> start_process_trace(bool everything);
using StartProcessTrace = std::unique_ptr<ProcessTrace>(bool everything);
void set_process_trace(StartProcessTrace* start);

}  // namespace aisp::lab
