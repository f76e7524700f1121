// hazard: barrier-mismatch
// Three warps use one named barrier; one of them names 64 threads, the others 96. All that use a
// barrier in one phase must name the same count (PTX: bar.sync).
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
// example begin: barrier-mismatch
__global__ void meet(int* out) {
  __shared__ int cells[96];
  const int thread = threadIdx.x;
  cells[thread] = thread;
  ptx::bar_sync(1, fixed || thread < 64 ? 96 : 64);
  out[thread] = cells[95 - thread];
}
// example end

template <bool fixed>
bool run() {
  hazard::Array<int> out(96);
  meet<fixed><<<1, 96>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return 95 - i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
