// hazard: stream-race
// There is an event, and the reader waits for it, but it is recorded in the reader's own stream.
#include "tests/hazards/host/streams.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream first, second;
  const host::Event written;
  hazard::Array<int> between(host::count), out(host::count);
  host::number<<<host::grid, host::block, 0, first>>>(between.get());
  host::check(cudaEventRecord(written, fixed ? first : second));
  host::check(cudaStreamWaitEvent(second, written, 0));
  host::add_one<<<host::grid, host::block, 0, second>>>(out.get(), between.get());
  hazard::finish();
  return out.holds([](int i) { return i + 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
