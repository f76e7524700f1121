// hazard: host-race
// The result is copied to pinned memory asynchronously, and the host looks at it at once.
#include "tests/hazards/host/streams.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream stream;
  const host::Pinned result;
  hazard::Array<int> values(host::count);
  host::number<<<host::grid, host::block, 0, stream>>>(values.get());
  host::check(
      cudaMemcpyAsync(result.values, values.get(), host::bytes, cudaMemcpyDeviceToHost, stream));
  if constexpr (fixed) host::check(cudaStreamSynchronize(stream));
  long sum = 0;
  for (int i = 0; i < host::count; ++i) sum += result.values[i];
  hazard::finish();
  return sum == long{host::count} * (host::count - 1) / 2;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
