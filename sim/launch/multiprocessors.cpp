#include "sim/launch/multiprocessors.hpp"

#include <algorithm>

namespace aisp::sim {
namespace {

// What one multiprocessor moves within the latency that every copy is charged.
constexpr std::uint64_t bytes_of_one = 32 << 10;

int at_most_all(const DeviceModel& device, std::uint64_t wanted) {
  return static_cast<int>(
      std::clamp<std::uint64_t>(wanted, 1, static_cast<std::uint64_t>(device.multiprocessors)));
}

}  // namespace

std::size_t Multiprocessors::clamped(int wanted) const {
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::max(wanted, 1)), 1, free_at_.size());
}

double Multiprocessors::free_at(int wanted, double ready) const {
  return std::max(ready, free_at_[clamped(wanted) - 1]);
}

void Multiprocessors::take(int wanted, double start, double end) {
  const auto count = static_cast<std::ptrdiff_t>(clamped(wanted));
  const auto free = std::max(std::upper_bound(free_at_.begin(), free_at_.end(), start),
                             free_at_.begin() + count);  // should a rounding have made it late
  std::fill(free - count, free, end);
  std::sort(free_at_.begin(), free_at_.end());
}

int multiprocessors_of(const DeviceModel& device, const Routine& kernel,
                       const LaunchConfig& config) {
  const auto threads = static_cast<std::uint32_t>(config.block.count());
  const auto dense = static_cast<std::uint64_t>(
      std::max(1, occupancy(device, kernel, threads, config.dynamic_shared).blocks_per_sm));
  return at_most_all(device, (config.grid.count() + dense - 1) / dense);
}

int multiprocessors_of(const DeviceModel& device, std::uint64_t bytes) {
  return at_most_all(device, (bytes + bytes_of_one - 1) / bytes_of_one);
}

}  // namespace aisp::sim
