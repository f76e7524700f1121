// hazard: stream-race
// Pinned memory is cleared by one stream and read by a kernel of another.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream clearing, reading;
  const reachable::Mapped memory;
  hazard::Array<int> out(host::count);
  host::check(cudaMemsetAsync(memory.device(), 0, host::bytes, clearing));
  if constexpr (fixed) host::order(clearing, reading);
  host::add_one<<<host::grid, host::block, 0, reading>>>(out.get(), memory.device());
  hazard::finish();
  return out.holds([](int) { return 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
