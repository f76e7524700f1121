// hazard: register-budget, deadlock
// Launched with 128 registers per thread, one warpgroup gives back 8 and the other takes 32: the
// sum is above what the block was given and setmaxnreg.inc waits for registers that never come.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 256;

template <bool fixed>
// example begin: register-budget
__global__ void __maxnreg__(128) two_roles(int* out) {
  if (threadIdx.x < 128)
    ptx::give_registers<fixed ? 96 : 120>();
  else
    ptx::take_registers<160>();
  out[threadIdx.x] = hazard::number(threadIdx.x);
}
// example end

template <bool fixed>
bool run() {
  const hazard::Array<int> out(count);
  two_roles<fixed><<<1, count>>>(out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
