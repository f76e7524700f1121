// Runs one grid to its end: residency, host threads, scheduling, deadlock, reports.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "sim/launch/report.hpp"
#include "sim/machine/device_part.hpp"
#include "sim/machine/warp.hpp"
#include "sim/watch/footprint.hpp"

namespace aisp::sim {

struct LaunchConfig {
  int device = 0;                    // its ordinal
  const DevicePart* part = nullptr;  // the SMs that it runs on; null: all of the device's
  Dim3 grid, block, cluster;         // cluster 1,1,1: none
  bool explicit_cluster = false;
  std::uint32_t dynamic_shared = 0;
  bool cooperative = false;
  std::uint32_t stack_bytes = 1024;  // of a thread at least, where calls recurse or alloca takes
  bool programmatic = false;         // may run beside the grid before it, until griddepcontrol.wait
  Observer* observer = nullptr;      // looks on in place of the checker that Settings ask for
  SetCondition set_condition;        // see Grid
  // Called while all of the grid only polls memory, by the caller's thread: others may have to run
  // before it can go on. False: they never will.
  std::function<bool()> polls;
};

// Of simulated time: charged for every kernel before its blocks run.
inline constexpr double launch_nanoseconds = 2000;

struct LaunchResult {
  std::optional<Report> fault;
  Counters counters;
  std::uint64_t warp_instructions = 0;
  double nanoseconds = 0;              // from instruction counts, see docs/simulator.md
  bool let_dependents_launch = false;  // every block has
  std::string printed;                 // what the kernel printed
  watch::Footprint footprint;          // empty unless Settings::hazards
};

struct Occupancy {
  int blocks_per_sm = 0;
  int resident_blocks = 0;  // on the whole device
};
Occupancy occupancy(const DeviceModel& device, const Routine& kernel, std::uint32_t threads,
                    std::uint32_t dynamic_shared);

// Runs the kernel; `params` has kernel.param_bytes bytes.
LaunchResult launch(const Program& program, const Routine& kernel, const DeviceModel& device,
                    Memory& memory, const Settings& settings, const LaunchConfig& config,
                    std::span<const std::byte> params, double start_nanoseconds);

}  // namespace aisp::sim
