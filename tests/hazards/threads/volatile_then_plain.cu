// hazard: shared-race
// A lane reads a word as volatile and then plainly; another warp stores to it as volatile. The two
// volatile accesses do not race, the plain read beside them does.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

__device__ int load(const int* word) {
  int value;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(ptx::shared_address(word)) : "memory");
  return value;
}

template <bool fixed>
__global__ void read_twice(int* out) {
  __shared__ int words[32];
  if (threadIdx.x < 32) words[threadIdx.x] = 5;
  __syncthreads();
  if (threadIdx.x == 3) {
    out[0] = *static_cast<volatile int*>(&words[8]) > 0;
    out[1] = load(&words[8]);
  }
  if constexpr (fixed) __syncthreads();
  if (threadIdx.x == 32) *static_cast<volatile int*>(&words[8]) = 6;
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(2);
  read_twice<fixed><<<1, 64>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return i == 0 ? 1 : 5; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
