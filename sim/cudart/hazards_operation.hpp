// What the checker knows about one operation of the device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/cudart/hazards_order.hpp"
#include "sim/cudart/task.hpp"
#include "sim/watch/footprint.hpp"

namespace sim {
struct Program;
struct Stream;
}  // namespace sim

namespace sim::hazards {

enum class Kind : std::uint8_t { kernel, copy, fill, host, allocate, release };

struct Operation {
  Kind kind{};
  std::string what;    // "kernel scale", "copy of 4096 bytes from device to pinned memory"
  std::string kernel;  // readable
  int device = 0;      // of the stream
  unsigned long long stream = 0;
  bool default_stream = false, non_blocking = false;
  std::uint64_t graph = 0;   // number of the graph launch that it is part of; 0: none
  bool asynchronous = true;  // the call returns before it is done
  void* memory = nullptr;    // of a release: what is freed
  watch::Footprint touched;  // of a kernel: known when it has run

  std::uint64_t number = 0;  // in the order of submission, from 1
  NodePtr node;
  Clock early;  // what comes before a programmatic launch's griddepcontrol.wait

  const Program* program = nullptr;  // of a kernel that has run
  std::uint64_t known_at = 0;        // first number still free when the host learned of its end
  bool settled = false;              // nothing that can still come is unordered with it
  bool retired = false;              // a release that keeps its memory until it is settled
};
using OperationPtr = std::shared_ptr<Operation>;

// What `task` does as far as it is known before it runs.
OperationPtr describe(const Task& task, const Stream& stream, std::uint64_t graph);

}  // namespace sim::hazards
