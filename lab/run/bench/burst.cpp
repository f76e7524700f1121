#include "lab/run/bench/burst.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "lab/measure/statistics.hpp"

namespace aisp::lab {

Burst burst_of(const std::vector<BurstReading>& readings, double seconds) {
  std::vector<double> watts;
  std::uint64_t reasons = 0;
  for (const auto& [when, reading] : readings) {
    if (when < 0.5 * seconds || when > seconds) continue;
    if (reading.watts) watts.push_back(*reading.watts);
    reasons |= reading.reasons;
  }
  Burst burst{.watts = {}, .throttle = reason_names(reasons), .harmful = harmful(reasons)};
  if (!watts.empty()) burst.watts = median(watts);
  return burst;
}

Burst take_burst(Gauge& gauge, const std::function<void()>& enqueue_some, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  std::vector<BurstReading> readings;
  std::atomic<bool> over = false;
  std::jthread reader([&] {
    while (!over) {
      readings.push_back({passed(), gauge.read()});
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  const auto stop = [&] {
    over = true;
    reader.join();
  };
  try {
    while (passed() < seconds) enqueue_some();
  } catch (...) {
    stop();
    throw;
  }
  const double lasted = passed();
  stop();
  return burst_of(readings, lasted);
}

}  // namespace aisp::lab
