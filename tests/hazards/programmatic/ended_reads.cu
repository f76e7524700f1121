// hazard: dependency-wait-order
// No block of the first kernel lets its dependents launch before its end. The second one reads what
// it wrote before its own wait: all blocks have ended by then, but only the wait makes that
// visible.
#include "tests/hazards/programmatic/chain.cuh"

namespace {

template <bool fixed>
// example begin: dependency-wait-order
__global__ void second(int* out, const int* in) {
  const int i = chain::index();
  if constexpr (fixed) chain::wait();
  const int value = in[i];
  if constexpr (!fixed) chain::wait();
  out[i] = value + 7;
}
// example end

template <bool fixed>
bool run() {
  const host::Stream stream;
  hazard::Array<int> one(host::count), out(host::count);
  host::number<<<host::grid, host::block, 0, stream>>>(one.get());
  chain::launch(stream, second<fixed>, out.get(), static_cast<const int*>(one.get()));
  hazard::finish();
  return out.holds([](int i) { return i + 7; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
