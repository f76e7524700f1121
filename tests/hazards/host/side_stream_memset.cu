// hazard: stream-race
// A buffer is cleared on the side while something else runs. The kernel that adds to it does not
// wait for the side stream.
#include "tests/hazards/host/streams.cuh"

namespace {

__global__ void accumulate(int* sums) {
  atomicAdd(sums + threadIdx.x, static_cast<int>(blockIdx.x));
}

template <bool fixed>
bool run() {
  const host::Stream main, side;
  hazard::Array<int> other(host::count), sums(host::block);
  host::check(cudaMemsetAsync(sums.get(), 0, host::block * sizeof(int), side));
  host::number<<<host::grid, host::block, 0, main>>>(other.get());
  if constexpr (fixed) host::order(side, main);
  accumulate<<<host::grid, host::block, 0, main>>>(sums.get());
  hazard::finish();
  return sums.holds([](int) { return host::grid * (host::grid - 1) / 2; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
