// What the programs of this folder share. Each asks a GPU one question: it runs many rounds of
// something that the PTX manual does not promise, with poison in place of old data, and prints how
// many rounds were wrong. A control with a real error shows that a failure would be seen.
//   nvcc -arch=sm_90a copy_wgmma.cu && ./a.out [ROUNDS]
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace stress {

inline void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

inline long rounds_of(int count, char** words) {
  return count > 1 ? std::atol(words[1]) : 1'000'000;
}

inline int multiprocessors() {
  int count = 0;
  require(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0), "attribute");
  return count;
}

// One number in device memory.
class Counter {
 public:
  Counter() {
    require(cudaMalloc(&at_, sizeof *at_), "cudaMalloc");
    clear();
  }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  ~Counter() { cudaFree(at_); }
  unsigned long long* get() const { return at_; }
  void clear() { require(cudaMemset(at_, 0, sizeof *at_), "cudaMemset"); }
  unsigned long long fetch() const {
    unsigned long long value = 0;
    require(cudaMemcpy(&value, at_, sizeof value, cudaMemcpyDeviceToHost), "a kernel");
    return value;
  }

 private:
  unsigned long long* at_ = nullptr;
};

inline void report(const char* layout, long rounds, unsigned long long wrong) {
  std::printf("%-44s rounds %ld wrong %llu\n", layout, rounds, wrong);
  std::fflush(stdout);
}

// Runs of `each` rounds that make up at least `rounds`.
inline long split(long rounds, long each) { return (rounds + each - 1) / each; }

__device__ inline std::uint32_t shared_address(const void* at) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
}

__device__ inline void fence_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ inline void spin(int cycles) {
  const long long end = clock64() + cycles;
  while (clock64() < end) {
  }
}

}  // namespace stress
