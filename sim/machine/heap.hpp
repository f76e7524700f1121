// What malloc and new of kernels may take from a device, and have taken. The limit is
// cudaLimitMallocHeapSize; Memory allocates what this grants.
#pragma once

#include <cstdint>
#include <mutex>

namespace aisp::sim {

class Heap {
 public:
  bool take(std::uint64_t bytes);  // false: more than the limit leaves
  void give_back(std::uint64_t bytes);
  // False once a kernel has used the heap: its size is fixed then.
  bool set_limit(std::uint64_t bytes);

 private:
  std::mutex mutex_;
  std::uint64_t limit_ = 8u << 20, used_ = 0;
  bool was_used_ = false;
};

}  // namespace aisp::sim
