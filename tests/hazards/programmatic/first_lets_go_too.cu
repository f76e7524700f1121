// hazard: dependency-wait
// All three launches let go at once, so that all three can run at a time: the third reads, before
// its wait, what the first has not written yet.
#include "tests/hazards/programmatic/chain.cuh"

namespace {

__global__ void first(int* out) {
  chain::let_go();
  out[chain::index()] = chain::index();
}

template <bool fixed>
__global__ void second(int* out) {
  if constexpr (fixed) chain::wait();
  chain::let_go();
  out[chain::index()] = 7;
  if constexpr (!fixed) chain::wait();
}

__global__ void third(int* out, const int* first, const int* second) {
  const int i = chain::index();
  const int early = first[i];
  chain::wait();
  out[i] = early + second[i];
}

template <bool fixed>
bool run() {
  const host::Stream stream;
  hazard::Array<int> one(host::count), two(host::count), out(host::count);
  first<<<host::grid, host::block, 0, stream>>>(one.get());
  chain::launch(stream, second<fixed>, two.get());
  chain::launch(stream, third, out.get(), static_cast<const int*>(one.get()),
                static_cast<const int*>(two.get()));
  hazard::finish();
  return out.holds([](int i) { return i + 7; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
