// hazard: dependency-wait
// Four launches: both in the middle let go at once, and the fourth reads
// the output of the first.
#include "tests/hazards/programmatic/chain.cuh"

namespace {

template <bool waits>
__global__ void middle(int* out) {
  if constexpr (waits) chain::wait();
  chain::let_go();
  out[chain::index()] = 7;
  if constexpr (!waits) chain::wait();
}
__global__ void last(int* out, const int* in) {
  const int i = chain::index();
  const int early = in[i];
  chain::wait();
  out[i] = early;
}

template <bool fixed>
bool run() {
  const host::Stream stream;
  hazard::Array<int> one(host::count), two(host::count), three(host::count), out(host::count);
  host::number<<<host::grid, host::block, 0, stream>>>(one.get());
  chain::launch(stream, middle<true>, two.get());
  chain::launch(stream, middle<fixed>, three.get());
  chain::launch(stream, last, out.get(), static_cast<const int*>(two.get()));
  hazard::finish();
  return out.holds([](int) { return 7; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
