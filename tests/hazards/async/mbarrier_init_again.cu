// hazard: mbarrier-reinit
// An mbarrier is initialised a second time, for another number of arrivals, without mbarrier.inval:
// mbarrier.init of a location that holds a valid mbarrier object is undefined.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64;

template <bool fixed>
// example begin: mbarrier-reinit
__global__ void two_uses(int* out) {
  __shared__ int tile[count];
  __shared__ std::uint64_t ready;
  if (threadIdx.x == 0) ptx::mbarrier_init(&ready, count);
  __syncthreads();
  tile[threadIdx.x] = hazard::number(threadIdx.x);
  ptx::mbarrier_arrive(&ready);
  ptx::mbarrier_wait(&ready, 0);
  const int first = tile[count - 1 - threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    if (fixed) ptx::mbarrier_inval(&ready);
    ptx::mbarrier_init(&ready, 32);
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    tile[threadIdx.x] = first;
    ptx::mbarrier_arrive(&ready);
  }
  ptx::mbarrier_wait(&ready, 0);
  out[threadIdx.x] = tile[threadIdx.x % 32];
}
// example end

template <bool fixed>
bool run() {
  const hazard::Array<int> out(count);
  two_uses<fixed><<<1, count>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return hazard::number(count - 1 - i % 32); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
