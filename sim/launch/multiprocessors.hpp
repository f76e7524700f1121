// The multiprocessors of one device in simulated time: who holds how many of them until when. A
// kernel holds as many as its blocks fill when they lie as densely as they may, so that several
// small kernels run at the same time and a large one has the device for itself.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/launch/launch.hpp"

namespace aisp::sim {

class Multiprocessors {
 public:
  explicit Multiprocessors(int count);

  // The first moment, not before `ready`, at which `wanted` of them are free together. `part`: the
  // numbers of those that may be taken; empty: all of them.
  double free_at(int wanted, double ready, const std::vector<int>& part = {}) const;
  // Takes that many, free at `start`, until `end`. Those that were idle for longest are left to
  // others that may be ready earlier.
  void take(int wanted, double start, double end, const std::vector<int>& part = {});

 private:
  std::vector<double> free_at_;   // of each, in nanoseconds
  std::vector<double> in_order_;  // the same, ascending
  std::vector<int> all_;
};

// How many a kernel holds.
int multiprocessors_of(const DeviceModel& device, const Routine& kernel,
                       const LaunchConfig& config);
// How many a copy or fill of so many bytes in the device's own memory holds.
int multiprocessors_of(const DeviceModel& device, std::uint64_t bytes);

}  // namespace aisp::sim
