// hazard: none
// options: --uninitialised
// A lock that is taken with an acquiring compare-and-swap and given back with a releasing store;
// the data under it is plain. In the second half of the kernel it guards shared memory of the
// block.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

constexpr int blocks = 4, threads = 64;

__device__ void take(std::uint32_t* lock) {
  std::uint32_t old = 1;
  while (old != 0)
    asm volatile("atom.acquire.gpu.global.cas.b32 %0, [%1], 0, 1;"
                 : "=r"(old)
                 : "l"(lock)
                 : "memory");
}

__global__ void locked(std::uint32_t* locks, int* counter, int* out) {
  __shared__ int of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    take(locks);
    *counter += 1;
    ptx::store_release(locks, 0);
    take(locks + 1 + blockIdx.x);
    of_block += 1;
    ptx::store_release(locks + 1 + blockIdx.x, 0);
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = of_block;
}

bool run() {
  hazard::Array<std::uint32_t> locks(1 + blocks);
  hazard::Array<int> counter(1), out(blocks);
  locked<<<blocks, threads>>>(locks.get(), counter.get(), out.get());
  hazard::finish();
  return counter.holds([](int) { return blocks * threads / 32; }) &&
         out.holds([](int) { return threads / 32; });
}

const hazard::Program program(__FILE__, run);

}  // namespace
