// hazard: dependency-wait
// The kernel in the middle needs nothing of the first, and does not wait for it. It can be over
// before the first is, and the third started.
#include "tests/hazards/programmatic/chain.cuh"

namespace {

template <bool fixed>
__global__ void second(int* out) {
  if constexpr (fixed) chain::wait();
  out[chain::index()] = 7;
}

// The first kernel's output is needed; the second's is waited for.
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
  chain::number<<<host::grid, host::block, 0, stream>>>(one.get());
  chain::launch(stream, second<fixed>, two.get());
  chain::launch(stream, third, out.get(), static_cast<const int*>(one.get()),
                static_cast<const int*>(two.get()));
  hazard::finish();
  return out.holds([](int i) { return i + 7; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
