// hazard: stream-race
// Two streams count with atomics that hold for one block only. The other stream is not in that
// block.
#include "tests/hazards/host/streams.cuh"

namespace {

template <bool fixed>
__global__ void count_up(int* counter) {
  if constexpr (fixed)
    atomicAdd(counter, 1);
  else
    atomicAdd_block(counter, 1);
}

template <bool fixed>
bool run() {
  const host::Stream first, second;
  hazard::Array<int> counter(1);
  count_up<fixed><<<1, host::block, 0, first>>>(counter.get());
  count_up<fixed><<<1, host::block, 0, second>>>(counter.get());
  hazard::finish();
  return counter.holds([](int) { return 2 * host::block; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
