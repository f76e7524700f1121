#include "sim/launch/multiprocessors.hpp"

#include <algorithm>
#include <numeric>

namespace aisp::sim {
namespace {

// What one multiprocessor moves within the latency that every copy is charged.
constexpr std::uint64_t bytes_of_one = 32 << 10;

std::size_t clamped(int wanted, std::size_t most) {
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::max(wanted, 1)), 1, most);
}

int at_most_all(const DeviceModel& device, std::uint64_t wanted) {
  return static_cast<int>(
      std::clamp<std::uint64_t>(wanted, 1, static_cast<std::uint64_t>(device.multiprocessors)));
}

}  // namespace

Multiprocessors::Multiprocessors(int count)
    : free_at_(static_cast<std::size_t>(count), 0.0), in_order_(free_at_) {
  all_.resize(free_at_.size());
  std::iota(all_.begin(), all_.end(), 0);
}

double Multiprocessors::free_at(int wanted, double ready, const std::vector<int>& part) const {
  if (part.empty()) return std::max(ready, in_order_[clamped(wanted, in_order_.size()) - 1]);
  std::vector<double> own;
  for (const int sm : part) own.push_back(free_at_[static_cast<std::size_t>(sm)]);
  const auto last = own.begin() + static_cast<std::ptrdiff_t>(clamped(wanted, own.size()) - 1);
  std::nth_element(own.begin(), last, own.end());
  return std::max(ready, *last);
}

void Multiprocessors::take(int wanted, double start, double end, const std::vector<int>& part) {
  std::vector<int> own = part.empty() ? all_ : part;
  const auto time = [&](int sm) { return free_at_[static_cast<std::size_t>(sm)]; };
  std::stable_sort(own.begin(), own.end(), [&](int a, int b) { return time(a) < time(b); });
  const auto count = static_cast<std::ptrdiff_t>(clamped(wanted, own.size()));
  const auto busy = std::find_if(own.begin(), own.end(), [&](int sm) { return time(sm) > start; });
  const auto free = std::max(busy, own.begin() + count);  // should a rounding have made it late
  for (auto sm = free - count; sm != free; ++sm) free_at_[static_cast<std::size_t>(*sm)] = end;
  in_order_ = free_at_;
  std::sort(in_order_.begin(), in_order_.end());
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
