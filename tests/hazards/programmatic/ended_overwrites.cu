// hazard: dependency-wait-order
// The second kernel overwrites, before its wait, what the first one reads; the first one lets its
// dependents launch by its end only.
#include "tests/hazards/programmatic/chain.cuh"

namespace {

template <bool fixed>
__global__ void overwrite(int* values) {
  if constexpr (fixed) chain::wait();
  values[chain::index()] = 5;
  if constexpr (!fixed) chain::wait();
}

template <bool fixed>
bool run() {
  const host::Stream stream;
  hazard::Array<int> values(host::count), one(host::count);
  host::add_one<<<host::grid, host::block, 0, stream>>>(one.get(), values.get());
  chain::launch(stream, overwrite<fixed>, values.get());
  hazard::finish();
  return one.holds([](int) { return 1; }) && values.holds([](int) { return 5; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
