// The clusters of a grid that have not begun. Host threads start them in order; a kernel may take
// over the work of one instead (clusterlaunchcontrol), from either end.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace aisp::sim {

class PendingClusters {
 public:
  void set(std::uint32_t count) { range_ = std::uint64_t{count} << 32; }
  std::uint32_t left() const {
    const std::uint64_t range = range_.load();
    return end_of(range) - first_of(range);
  }
  std::optional<std::uint32_t> take_first() { return take(false); }
  std::optional<std::uint32_t> take_last() { return take(true); }

 private:
  static std::uint32_t first_of(std::uint64_t range) { return static_cast<std::uint32_t>(range); }
  static std::uint32_t end_of(std::uint64_t range) {
    return static_cast<std::uint32_t>(range >> 32);
  }
  std::optional<std::uint32_t> take(bool last) {
    std::uint64_t range = range_.load(), rest = 0;
    do {
      if (first_of(range) == end_of(range)) return std::nullopt;
      rest = last ? range - (std::uint64_t{1} << 32) : range + 1;
    } while (!range_.compare_exchange_weak(range, rest));
    return last ? end_of(range) - 1 : first_of(range);
  }

  std::atomic<std::uint64_t> range_{0};  // the first one, and in the upper half the end
};

}  // namespace aisp::sim
