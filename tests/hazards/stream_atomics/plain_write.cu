// hazard: stream-race
// A counter is set to its start by a plain store in one stream while another stream counts.
#include "tests/hazards/host/streams.cuh"

namespace {

__global__ void set(int* counter) { *counter = 100; }
__global__ void count_up(int* counter) { atomicAdd(counter, 1); }

template <bool fixed>
bool run() {
  const host::Stream setting, counting;
  hazard::Array<int> counter(1);
  set<<<1, 1, 0, setting>>>(counter.get());
  if constexpr (fixed) host::order(setting, counting);
  count_up<<<host::grid, host::block, 0, counting>>>(counter.get());
  hazard::finish();
  return counter.holds([](int) { return 100 + host::count; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
