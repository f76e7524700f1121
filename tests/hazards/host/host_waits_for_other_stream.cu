// hazard: host-race
// The host waits before it looks, but for another stream than the one that copies.
#include "tests/hazards/host/streams.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream computing, copying;
  const host::Pinned result;
  hazard::Array<int> values(host::count);
  host::number<<<host::grid, host::block, 0, computing>>>(values.get());
  host::order(computing, copying);
  host::check(
      cudaMemcpyAsync(result.values, values.get(), host::bytes, cudaMemcpyDeviceToHost, copying));
  host::check(cudaStreamSynchronize(fixed ? copying : computing));
  const bool right = result.values[host::count - 1] == host::count - 1;
  hazard::finish();
  return right;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
