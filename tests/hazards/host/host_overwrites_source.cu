// hazard: host-race
// One pinned buffer for two uploads: the host fills it again while the first may still be read.
#include "tests/hazards/host/streams.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream stream;
  const host::Pinned source;
  hazard::Array<int> first(host::count), second(host::count);
  host::check(
      cudaMemcpyAsync(first.get(), source.values, host::bytes, cudaMemcpyHostToDevice, stream));
  if constexpr (fixed) host::check(cudaStreamSynchronize(stream));
  for (int i = 0; i < host::count; ++i) source.values[i] = 2 * i;
  host::check(
      cudaMemcpyAsync(second.get(), source.values, host::bytes, cudaMemcpyHostToDevice, stream));
  hazard::finish();
  return first.holds([](int i) { return i; }) && second.holds([](int i) { return 2 * i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
