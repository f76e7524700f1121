// Which global memory has been written so far by anything: an interval map.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>

namespace aisp::sim::watch {

class Written {
 public:
  void add(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    const std::lock_guard lock(mutex_);
    auto at = ranges_.upper_bound(begin);
    if (at != ranges_.begin() && std::prev(at)->second >= begin) begin = (--at)->first;
    while (at != ranges_.end() && at->first <= end) {
      end = std::max(end, at->second);
      at = ranges_.erase(at);
    }
    ranges_[begin] = end;
  }
  bool covers(std::uint64_t begin, std::uint64_t end) const {
    const std::lock_guard lock(mutex_);
    const auto at = ranges_.upper_bound(begin);
    return at != ranges_.begin() && std::prev(at)->second >= end;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> ranges_;
};

}  // namespace aisp::sim::watch
