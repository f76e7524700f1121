// Power under load: the rung again and again for a while, with somebody reading the meter. One
// sample is too short for that: the meter's readings are a tenth of a second apart.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/measure/throttle.hpp"

namespace aisp::lab {

struct BurstReading {
  double seconds = 0;  // since the burst began
  Reading reading;
};

struct Burst {
  std::optional<double> watts;        // median of the second half: the first readings lag behind
  std::vector<std::string> throttle;  // what held the clock back in that half
  bool harmful = false;
};
Burst burst_of(const std::vector<BurstReading>& readings, double seconds);

// Calls `enqueue_some`, which waits for what it enqueued, until the time is over, and reads the
// gauge meanwhile. 0.4 s: the meter has caught up after 0.15.
inline constexpr double burst_seconds = 0.4;
Burst take_burst(Gauge& gauge, const std::function<void()>& enqueue_some,
                 double seconds = burst_seconds);

}  // namespace aisp::lab
