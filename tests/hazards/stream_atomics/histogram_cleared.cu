// hazard: stream-race
// A histogram is filled with atomics by two kernels in two streams, which is fine; a third stream
// clears it for the next round without waiting for both.
#include "tests/hazards/host/streams.cuh"

namespace {

__global__ void fill(int* bins) { atomicAdd(bins + threadIdx.x % 32, 1); }

template <bool fixed>
bool run() {
  const host::Stream first, second, clearing;
  hazard::Array<int> bins(32), out(32);
  fill<<<host::grid, host::block, 0, first>>>(bins.get());
  fill<<<host::grid, host::block, 0, second>>>(bins.get());
  host::order(first, clearing);
  if constexpr (fixed) host::order(second, clearing);
  host::check(
      cudaMemcpyAsync(out.get(), bins.get(), 32 * sizeof(int), cudaMemcpyDeviceToDevice, clearing));
  host::check(cudaMemsetAsync(bins.get(), 0, 32 * sizeof(int), clearing));
  hazard::finish();
  return out.holds([](int) { return 2 * host::count / 32; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
