// The hazard checker of a process: where its findings go and what it was asked for.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "sim/watch/finding.hpp"
#include "sim/watch/stream_operation.hpp"
#include "sim/watch/written.hpp"

namespace aisp::sim::watch {

class BesideGrids;

struct ProcessWatch {
  explicit ProcessWatch(std::string folder);  // AISP_SIM_HAZARDS; the file is <folder>/<pid>.jsonl
  Findings findings;
  Options options;
  Written written;  // global memory that anything has written, for Options::uninitialised
  std::atomic<bool> talks_to_host{false};  // the kernel that runs, see Footprint::talks_to_host
  StreamOperationPtr running;              // what the executor has begun, or gone on with, last
  std::shared_ptr<BesideGrids> beside;     // made by beside_of(), sim/watch/device/beside.hpp
};

}  // namespace aisp::sim::watch
