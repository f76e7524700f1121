// hazard: copy-wait, shared-race
// Producers arrive with a plain mbarrier.arrive after issuing their cp.async: it covers what they
// did themselves, not the copies. cp.async.mbarrier.arrive arrives when the copies have ended.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 32;

template <bool fixed>
__global__ void copy_tile(const int* in, int* out) {
  __shared__ int tile[count];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) ptx::mbarrier_init(&full, count);
  __syncthreads();
  if (threadIdx.x < count) {
    ptx::copy_async(&tile[threadIdx.x], in + threadIdx.x);
    if (fixed)
      ptx::copy_arrive_noinc(&full);
    else
      ptx::mbarrier_arrive(&full);
    return;
  }
  ptx::mbarrier_wait(&full, 0);
  out[threadIdx.x - count] = tile[threadIdx.x - count];
}

template <bool fixed>
bool run() {
  const hazard::Array<int> in(hazard::numbers(count)), out(count);
  copy_tile<fixed><<<1, 2 * count>>>(in.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
