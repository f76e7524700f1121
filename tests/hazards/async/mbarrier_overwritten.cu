// hazard: mbarrier-reinit
// The memory of an mbarrier is used for data when the pipeline is done. That takes mbarrier.inval
// first: until then any other access to the object than by mbarrier instructions is undefined.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64;

template <bool fixed>
__global__ void reuse(int* out) {
  __shared__ union {
    std::uint64_t ready;
    int staging[count];
  } memory;
  __shared__ int tile[count];
  if (threadIdx.x == 0) ptx::mbarrier_init(&memory.ready, count);
  __syncthreads();
  tile[threadIdx.x] = hazard::number(threadIdx.x);
  ptx::mbarrier_arrive(&memory.ready);
  ptx::mbarrier_wait(&memory.ready, 0);
  __syncthreads();
  if (fixed) {
    if (threadIdx.x == 0) ptx::mbarrier_inval(&memory.ready);
    __syncthreads();
  }
  memory.staging[threadIdx.x] = tile[count - 1 - threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = memory.staging[count - 1 - threadIdx.x];
}

template <bool fixed>
bool run() {
  const hazard::Array<int> out(count);
  reuse<fixed><<<1, count>>>(out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
