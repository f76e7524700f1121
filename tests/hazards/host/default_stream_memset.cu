// hazard: stream-race
// cudaMemset returns before it is done, in the default stream. A stream that does not synchronise
// with that one overtakes it.
#include "tests/hazards/host/streams.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream stream(fixed ? cudaStreamDefault : cudaStreamNonBlocking);
  hazard::Array<int> values(host::count);
  host::check(cudaMemset(values.get(), 1, host::bytes));
  host::number<<<host::grid, host::block, 0, stream>>>(values.get());
  hazard::finish();
  return values.holds([](int i) { return i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
