// hazard: stream-race
// roots: 2
// Two pairs of streams, each without its event: the two have nothing to do with each other.
#include "tests/hazards/host/streams.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream first, second, third, fourth;
  hazard::Array<int> a(host::count), b(host::count), out(host::count), others(host::count);
  host::number<<<host::grid, host::block, 0, first>>>(a.get());
  if constexpr (fixed) host::order(first, second);
  host::add_one<<<host::grid, host::block, 0, second>>>(out.get(), a.get());
  host::number<<<host::grid, host::block, 0, third>>>(b.get());
  if constexpr (fixed) host::order(third, fourth);
  host::check(
      cudaMemcpyAsync(others.get(), b.get(), host::bytes, cudaMemcpyDeviceToDevice, fourth));
  hazard::finish();
  return out.holds([](int i) { return i + 1; }) && others.holds([](int i) { return i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
