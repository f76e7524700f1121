// hazard: dependency-wait
// The third launch overwrites, before its wait, what the first may still read: the second has let
// go too early.
#include "tests/hazards/programmatic/chain.cuh"

namespace {

template <bool fixed>
__global__ void second(int* out) {
  if constexpr (fixed) chain::wait();
  chain::let_go();
  out[chain::index()] = 7;
  if constexpr (!fixed) chain::wait();
}
__global__ void overwrite(int* values) {
  values[chain::index()] = 5;
  chain::wait();
}

template <bool fixed>
bool run() {
  const host::Stream stream;
  hazard::Array<int> values(host::count), one(host::count), two(host::count);
  chain::add_one<<<host::grid, host::block, 0, stream>>>(one.get(), values.get());
  chain::launch(stream, second<fixed>, two.get());
  chain::launch(stream, overwrite, values.get());
  hazard::finish();
  return one.holds([](int) { return 1; }) && values.holds([](int) { return 5; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
