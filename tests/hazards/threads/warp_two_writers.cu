// hazard: shared-race
// Two lanes of a warp write the same word one after the other, with no __syncwarp() between them.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

// The compiler would make one instruction of two stores.
__device__ void store(int* at, int value) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(ptx::shared_address(at)), "r"(value) : "memory");
}

template <bool fixed>
__global__ void write_twice(int* out) {
  __shared__ int cells[64];
  const int lane = threadIdx.x;
  cells[lane * 2] = lane;
  __syncwarp();
  if (lane == 3) store(&cells[10], 7);
  if constexpr (fixed) __syncwarp();
  if (lane == 5) store(&cells[10], 9);
  __syncwarp();
  out[lane] = cells[lane * 2];
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(32);
  write_twice<fixed><<<1, 32>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return i == 5 ? 9 : i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
