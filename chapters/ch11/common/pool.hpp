// Device memory that is taken and given back in the order of a stream, as kernels are: no call
// waits, and the host gets the address at once.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "lab/case/rung.hpp"
#include "lab/judge/poison.hpp"

namespace aisp::ch11 {

class Pool {
 public:
  // A pool of the rung's own. By default a pool hands free memory back to the system whenever the
  // host waits; the threshold lets it keep everything for the next run.
  Pool() {
    int device = 0;
    lab::check_cuda(cudaGetDevice(&device), "cudaGetDevice");
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device;
    lab::check_cuda(cudaMemPoolCreate(&pool_, &properties), "cudaMemPoolCreate");
    std::uint64_t keep = std::numeric_limits<std::uint64_t>::max();
    lab::check_cuda(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep),
                    "cudaMemPoolSetAttribute");
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() { cudaMemPoolDestroy(pool_); }

  // What the next blocks of this size hold, on whatever stream they are taken behind this one.
  void poison(std::int64_t blocks, std::size_t bytes, cudaStream_t stream) const {
    std::vector<void*> taken;
    for (std::int64_t i = 0; i < blocks; ++i) {
      taken.push_back(take(bytes, stream));
      lab::check_cuda(cudaMemsetAsync(taken.back(), lab::poison_byte, bytes, stream), "poison");
    }
    for (void* memory : taken) give_back(memory, stream);
  }

  // Work that the stream gets from now on may use it; other streams wait for an event first.
  void* take(std::size_t bytes, cudaStream_t stream) const {
    void* memory = nullptr;
    lab::check_cuda(cudaMallocFromPoolAsync(&memory, bytes, pool_, stream),
                    "cudaMallocFromPoolAsync");
    return memory;
  }
  // What the stream has so far may still use it.
  static void give_back(void* memory, cudaStream_t stream) {
    lab::check_cuda(cudaFreeAsync(memory, stream), "cudaFreeAsync");
  }

 private:
  cudaMemPool_t pool_{};
};

}  // namespace aisp::ch11
