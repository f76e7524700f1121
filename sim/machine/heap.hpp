// The heap of a device, from which malloc and new of kernels take. Its limit is
// cudaLimitMallocHeapSize; what is in it belongs to kernels alone: cudaFree does not know it.
#pragma once

#include <cstdint>
#include <mutex>

namespace aisp::sim {

class Memory;

class Heap {
 public:
  // Null when the limit or the device's memory is exhausted.
  void* allocate(Memory& memory, int device, std::uint64_t bytes);
  // False: not the start of what allocate() gave.
  bool release(Memory& memory, std::uint64_t address);
  // False once a kernel has used the heap: its size is fixed then.
  bool set_limit(std::uint64_t bytes);

 private:
  std::mutex mutex_;
  std::uint64_t limit_ = 8u << 20, used_ = 0;
  bool was_used_ = false;
};

}  // namespace aisp::sim
