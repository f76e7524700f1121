// hazard: launch-error
// A launch with more threads than a block may have, and no call that reads the error: the program
// goes on with what its buffer held before.
#include "tests/hazards/host/streams.cuh"

namespace {

template <bool fixed>
bool run() {
  hazard::Array<int> out(host::count);
  // example begin: launch-error
  constexpr int threads = fixed ? 256 : 2048;
  host::number<<<host::count / threads, threads>>>(out.get());
  if (fixed) host::check(cudaGetLastError());
  host::check(cudaDeviceSynchronize());
  // example end
  return out.holds([](int i) { return i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
