// hazard: stream-race
// One stream counts with atomics, another reads the counter with a plain load: an atomic orders
// nothing for those who do not use one.
#include "tests/hazards/host/streams.cuh"

namespace {

__global__ void count_up(int* counter) { atomicAdd(counter, 1); }
__global__ void take(int* out, const int* counter) { *out = *counter; }

template <bool fixed>
bool run() {
  const host::Stream counting, reading;
  hazard::Array<int> counter(1), out(1);
  count_up<<<host::grid, host::block, 0, counting>>>(counter.get());
  if constexpr (fixed) host::order(counting, reading);
  take<<<1, 1, 0, reading>>>(out.get(), counter.get());
  hazard::finish();
  return out.holds([](int) { return host::count; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
