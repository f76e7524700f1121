// hazard: stream-race
// roots: 1
// Two kernels fill buffers in one stream, two copies and a kernel of another stream read them, and
// the event between the two streams is missing: one wait orders all of them.
#include "tests/hazards/host/streams.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream first, second;
  hazard::Array<int> a(host::count), b(host::count), out(host::count), copy(host::count);
  host::number<<<host::grid, host::block, 0, first>>>(a.get());
  host::add_one<<<host::grid, host::block, 0, first>>>(b.get(), a.get());
  if constexpr (fixed) host::order(first, second);
  host::add_one<<<host::grid, host::block, 0, second>>>(out.get(), b.get());
  host::check(cudaMemcpyAsync(copy.get(), a.get(), host::bytes, cudaMemcpyDeviceToDevice, second));
  hazard::finish();
  return out.holds([](int i) { return i + 2; }) && copy.holds([](int i) { return i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
