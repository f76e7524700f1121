// hazard: none
// Two streams add to one counter with atomics of the whole device: the sum does not depend on who
// comes first.
#include "tests/hazards/host/streams.cuh"

namespace {

__global__ void count_up(int* counter) { atomicAdd(counter, 1); }

bool run() {
  const host::Stream first, second;
  hazard::Array<int> counter(1);
  count_up<<<host::grid, host::block, 0, first>>>(counter.get());
  count_up<<<host::grid, host::block, 0, second>>>(counter.get());
  hazard::finish();
  return counter.holds([](int) { return 2 * host::count; });
}

const hazard::Program program(__FILE__, run);

}  // namespace
