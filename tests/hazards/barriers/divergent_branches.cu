// hazard: divergent-aligned
// also: deadlock
// Each half of a warp has a bar.sync of its own in its own branch. bar.sync is .aligned: all lanes
// of a warp must execute the same bar instruction (PTX: barrier, '.aligned').
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void branch(int* out) {
  __shared__ int cells[64];
  const int thread = threadIdx.x;
  if (thread % 32 < 16) {
    cells[thread] = thread;
    if constexpr (!fixed) asm volatile("bar.sync 1; // of the lower half" ::: "memory");
  } else {
    cells[thread] = thread * 2;
    if constexpr (!fixed) asm volatile("bar.sync 1; // of the upper half" ::: "memory");
  }
  if constexpr (fixed) asm volatile("bar.sync 1;" ::: "memory");
  out[thread] = cells[63 - thread];
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(64);
  branch<fixed><<<1, 64>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return (63 - i) * ((63 - i) % 32 < 16 ? 1 : 2); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
