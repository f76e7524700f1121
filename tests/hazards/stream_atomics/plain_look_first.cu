// hazard: stream-race
// A kernel looks at a counter with a plain load before it adds to it atomically, while another
// stream adds: what it sees is any value, and the branch depends on it.
#include "tests/hazards/host/streams.cuh"

namespace {

__global__ void count_up(int* counter) { atomicAdd(counter, 1); }
__global__ void add_if_large(int* counter) {
  if (*counter >= 32) atomicAdd(counter, 100);
}

template <bool fixed>
bool run() {
  const host::Stream first, second;
  hazard::Array<int> counter(1);
  count_up<<<1, 32, 0, first>>>(counter.get());
  if constexpr (fixed) host::order(first, second);
  add_if_large<<<1, 1, 0, second>>>(counter.get());
  hazard::finish();
  return counter.holds([](int) { return 132; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
