// hazard: mbarrier-reinit
// Every warp initialises the mbarrier of the block, with the same instruction and the same count:
// nothing keeps a late warp from it while others already use the object.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64;

template <bool fixed>
__global__ void exchange(int* out) {
  __shared__ int tile[count];
  __shared__ std::uint64_t ready;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread % (fixed ? count : 32) == 0) ptx::mbarrier_init(&ready, count);
  __syncthreads();
  tile[thread] = hazard::number(thread);
  ptx::mbarrier_arrive(&ready);
  ptx::mbarrier_wait(&ready, 0);
  out[thread] = tile[count - 1 - thread];
}

template <bool fixed>
bool run() {
  const hazard::Array<int> out(count);
  exchange<fixed><<<1, count>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return hazard::number(count - 1 - i); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
