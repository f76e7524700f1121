// Two ranks for planted bugs of one-sided exchange: on two devices with access to each other, or in
// two streams of one. Each has memory and flags that the other writes while both kernels run.
#pragma once

#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace ranks {

constexpr int threads = 64;
constexpr int buffers = 8, flags = 8;

struct Memory {
  int data[buffers][threads];
  int out[threads];
  std::uint32_t flag[flags];
};

enum class Where { two_devices, one_device };

class Pair {
 public:
  explicit Pair(Where where) {
    for (int rank = 0; rank < 2; ++rank) {
      device_[rank] = where == Where::two_devices ? rank : 0;
      use(rank);
      if (where == Where::two_devices)
        hazard::require(cudaDeviceEnablePeerAccess(1 - rank, 0), "cudaDeviceEnablePeerAccess");
      hazard::require(cudaMalloc(&memory_[rank], sizeof(Memory)), "cudaMalloc");
      hazard::require(cudaMemset(memory_[rank], 0, sizeof(Memory)), "cudaMemset");
      hazard::require(cudaStreamCreateWithFlags(&stream_[rank], cudaStreamNonBlocking), "stream");
      hazard::require(cudaDeviceSynchronize(), "cudaMemset");
    }
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  Memory* operator[](int rank) const { return memory_[rank]; }
  cudaStream_t stream(int rank) const { return stream_[rank]; }
  void use(int rank) const { hazard::require(cudaSetDevice(device_[rank]), "cudaSetDevice"); }
  void finish() const {
    for (int rank = 0; rank < 2; ++rank) {
      use(rank);
      hazard::finish();
    }
  }
  // True when out[i] of the rank is want(i), for all; releases what the pair has.
  template <class Want>
  bool holds(int rank, Want want) const {
    Memory got;
    hazard::require(cudaMemcpy(&got, memory_[rank], sizeof got, cudaMemcpyDefault), "cudaMemcpy");
    for (int i = 0; i < threads; ++i)
      if (got.out[i] != want(i)) {
        std::fprintf(stderr, "rank %d: element %d is %d, not %d\n", rank, i, got.out[i], want(i));
        return false;
      }
    return true;
  }

 private:
  int device_[2] = {};
  Memory* memory_[2] = {};
  cudaStream_t stream_[2] = {};
};

#define RANKS_STORE(name, text)                                                        \
  __device__ inline void name(std::uint32_t* at, std::uint32_t value) {                \
    asm volatile("st." text ".global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory"); \
  }
#define RANKS_AWAIT(name, text)                                                           \
  __device__ inline void name(const std::uint32_t* at, std::uint32_t epoch) {             \
    std::uint32_t seen = 0;                                                               \
    while (seen < epoch)                                                                  \
      asm volatile("ld." text ".global.u32 %0, [%1];" : "=r"(seen) : "l"(at) : "memory"); \
  }
RANKS_STORE(signal, "release.sys")
RANKS_STORE(signal_gpu, "release.gpu")
RANKS_STORE(signal_relaxed, "relaxed.sys")
RANKS_AWAIT(await, "acquire.sys")
RANKS_AWAIT(await_gpu, "acquire.gpu")
RANKS_AWAIT(await_relaxed, "relaxed.sys")
#undef RANKS_STORE
#undef RANKS_AWAIT

}  // namespace ranks
