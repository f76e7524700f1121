// hazard: shared-race
// bar.arrive announces a thread's own writes and does not wait: who only arrives may not read what
// the others wrote before the same barrier (PTX: bar.arrive 'does not cause ... to wait').
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void meet(int* out) {
  __shared__ int cells[64];
  const int thread = threadIdx.x;
  cells[thread] = thread * 2;
  if (fixed || thread >= 32)
    ptx::bar_sync(1, 64);
  else
    ptx::bar_arrive(1, 64);
  out[thread] = cells[thread ^ 32];
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(64);
  meet<fixed><<<1, 64>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return (i ^ 32) * 2; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
