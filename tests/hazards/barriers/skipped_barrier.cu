// hazard: deadlock
// Half of the warps skip a __syncthreads() and wait at a later barrier, which in turn needs the
// warps that wait at the first. (Warps that exit would count as arrived; these do not exit.)
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
// example begin: deadlock
__global__ void skip(int* out) {
  __shared__ int cells[128];
  const int thread = threadIdx.x;
  cells[thread] = thread;
  if (fixed || thread < 64) __syncthreads();
  ptx::bar_sync(1, 128);
  out[thread] = cells[thread ^ 32];
}
// example end

template <bool fixed>
bool run() {
  hazard::Array<int> out(128);
  skip<fixed><<<1, 128>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return i ^ 32; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
