// What the checker knows about one operation of a device, as whoever submits it describes it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/watch/footprint.hpp"
#include "sim/watch/operation_order.hpp"

namespace aisp::sim {
struct Program;
}  // namespace aisp::sim

namespace aisp::sim::watch {

enum class OperationKind : std::uint8_t { kernel, copy, fill, host, allocate, release };

struct StreamOperation {
  OperationKind kind{};
  std::string what;         // "kernel scale", "copy of 4096 bytes from device to pinned memory"
  std::string kernel;       // readable
  std::string stream_name;  // "the default stream", "stream 3 of device 1"
  unsigned long long stream = 0;
  int device = 0;
  bool default_stream = false, non_blocking = false;
  std::uint64_t graph = 0;    // number of the graph launch that it is part of; 0: none
  bool asynchronous = true;   // the call returns before it is done
  bool reaches_host = false;  // of a kernel: it is handed memory that the host can reach
  bool at_launch = false;     // of a graph node: may start when all blocks ahead have started
  void* memory = nullptr;     // of a release: what is freed
  Footprint touched;          // of a kernel: known when it has run

  // ---- The checker's own.
  std::uint64_t number = 0;  // in the order of submission, from 1
  OrderNodePtr node;
  ChainClock early;    // what comes before a programmatic launch's griddepcontrol.wait
  EndedNodes ended{};  // what has ended by then as well, although nothing makes it visible
  std::vector<std::shared_ptr<StreamOperation>> overlapped{};  // kernels that it need not wait for

  const Program* program = nullptr;  // of a kernel that has run
  std::uint64_t known_at = 0;        // first number still free when the host learned of its end
  bool released_early = false;       // see Footprint
  bool triggered = false;            // ...
  bool settled = false;              // nothing that can still come is unordered with it
  void (*release)(void* memory) = nullptr;  // frees what a release keeps until it is settled
};
using StreamOperationPtr = std::shared_ptr<StreamOperation>;

}  // namespace aisp::sim::watch
