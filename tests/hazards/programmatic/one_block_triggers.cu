// hazard: dependency-wait
// One block of the first kernel lets the dependents launch before it writes, the others by their
// end: the second kernel may start while that block runs.
#include "tests/hazards/programmatic/chain.cuh"

namespace {

__global__ void first(int* out) {
  if (blockIdx.x == 3 && threadIdx.x == 0) chain::let_go();
  out[chain::index()] = chain::index();
}

template <bool fixed>
__global__ void second(int* out, const int* in) {
  const int i = chain::index();
  if constexpr (fixed) chain::wait();
  const int value = in[i];
  if constexpr (!fixed) chain::wait();
  out[i] = value + 7;
}

template <bool fixed>
bool run() {
  const host::Stream stream;
  hazard::Array<int> one(host::count), out(host::count);
  first<<<host::grid, host::block, 0, stream>>>(one.get());
  chain::launch(stream, second<fixed>, out.get(), static_cast<const int*>(one.get()));
  hazard::finish();
  return out.holds([](int i) { return i + 7; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
