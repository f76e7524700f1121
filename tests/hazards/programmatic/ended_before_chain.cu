// hazard: dependency-wait-order
// The first kernel lets its dependents launch by its end only. The second one lets go at once, so
// that the third one need not wait for the second; the first has ended before both.
#include "tests/hazards/programmatic/chain.cuh"

namespace {

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
  host::number<<<host::grid, host::block, 0, stream>>>(one.get());
  chain::launch(stream, second<fixed>, two.get());
  chain::launch(stream, third, out.get(), static_cast<const int*>(one.get()),
                static_cast<const int*>(two.get()));
  hazard::finish();
  return out.holds([](int i) { return i + 7; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
