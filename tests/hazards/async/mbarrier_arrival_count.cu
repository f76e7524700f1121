// hazard: mbarrier-arrivals, misuse
// One thread arrives for its whole warp with a count of 32 at a barrier that expects one arrival of
// each of two warps: a count above what is pending in the phase is undefined.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64;

template <bool fixed>
__global__ void exchange(int* out) {
  __shared__ int tile[count];
  __shared__ std::uint64_t ready;
  if (threadIdx.x == 0) ptx::mbarrier_init(&ready, count / 32);
  __syncthreads();
  tile[threadIdx.x] = hazard::number(threadIdx.x);
  __syncwarp();
  if (threadIdx.x % 32 == 0) ptx::mbarrier_arrive_count(&ready, fixed ? 1 : 32);
  ptx::mbarrier_wait(&ready, 0);
  out[threadIdx.x] = tile[count - 1 - threadIdx.x];
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
