// Takes a trace of what this process does on its devices: on a GPU from CUPTI's activity records,
// on the simulator from its own schedule.
#pragma once

#include <memory>

#include "lab/trace/trace.hpp"

namespace aisp::lab {

class Collector {
 public:
  virtual ~Collector() = default;

  // Forgets what was collected so far: the trace begins here. The devices must be idle.
  virtual void restart() = 0;
  // What happened since. The devices must be idle.
  virtual Trace trace() = 0;
};

// Every call and event of the host that is written down too makes the host slower.
enum class Detail { work, everything };

// Collects from now on until its end. Throws one clear line where CUPTI is missing or refuses.
std::unique_ptr<Collector> start_trace(Detail detail);

// Whether this process runs on the simulator and that can tell its schedule.
bool simulator_traces();
std::unique_ptr<Collector> start_simulator_trace();
std::unique_ptr<Collector> start_gpu_trace(Detail detail);

}  // namespace aisp::lab
