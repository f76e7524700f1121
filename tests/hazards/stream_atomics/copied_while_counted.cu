// hazard: stream-race
// The counter is copied to the host by one stream while another still adds to it.
#include "tests/hazards/host/streams.cuh"

namespace {

__global__ void count_up(int* counter) { atomicAdd(counter, 1); }

template <bool fixed>
bool run() {
  const host::Stream counting, copying;
  const host::Pinned result;
  hazard::Array<int> counter(1);
  count_up<<<host::grid, host::block, 0, counting>>>(counter.get());
  if constexpr (fixed) host::order(counting, copying);
  host::check(
      cudaMemcpyAsync(result.values, counter.get(), sizeof(int), cudaMemcpyDeviceToHost, copying));
  hazard::finish();
  return result.values[0] == host::count;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
