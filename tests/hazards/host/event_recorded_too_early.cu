// hazard: stream-race
// The event stands for what was in the stream when it was recorded: not for the kernel launched
// afterwards.
#include "tests/hazards/host/streams.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream first, second;
  const host::Event written;
  hazard::Array<int> between(host::count), out(host::count);
  if constexpr (!fixed) host::check(cudaEventRecord(written, first));
  host::number<<<host::grid, host::block, 0, first>>>(between.get());
  if constexpr (fixed) host::check(cudaEventRecord(written, first));
  host::check(cudaStreamWaitEvent(second, written, 0));
  host::add_one<<<host::grid, host::block, 0, second>>>(out.get(), between.get());
  hazard::finish();
  return out.holds([](int i) { return i + 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
