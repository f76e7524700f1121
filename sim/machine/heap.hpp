// The heap of a device, from which malloc and new of kernels take: how much of it is left. Its
// limit is cudaLimitMallocHeapSize.
#pragma once

#include <cstdint>
#include <mutex>

namespace aisp::sim {

class Heap {
 public:
  bool take(std::uint64_t bytes);       // false: there is no room
  void give_back(std::uint64_t bytes);  // as many as were taken at once
  // False once a kernel has used the heap: its size is fixed then.
  bool set_limit(std::uint64_t bytes);

 private:
  std::mutex mutex_;
  std::uint64_t limit_ = 8u << 20, used_ = 0;
  bool was_used_ = false;
};

}  // namespace aisp::sim
