// hazard: stream-race
// The kernels of two streams count with atomics, but the last thread of one also stores the
// counter with a plain store. That the last access is an atomic in the other does not help.
#include "tests/hazards/host/streams.cuh"

namespace {

__global__ void count_and_set(int* counter) {
  if (threadIdx.x == 0) *counter = 1000;
  __syncthreads();
  if (threadIdx.x == 1) atomicAdd(counter, 1);
}
__global__ void count_up(int* counter) { atomicAdd(counter, 1); }

template <bool fixed>
bool run() {
  const host::Stream first, second;
  hazard::Array<int> counter(1);
  count_and_set<<<1, 32, 0, first>>>(counter.get());
  if constexpr (fixed) host::order(first, second);
  count_up<<<1, 32, 0, second>>>(counter.get());
  hazard::finish();
  return counter.holds([](int) { return 1000 + 33; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
