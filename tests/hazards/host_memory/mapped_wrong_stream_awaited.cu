// hazard: host-race
// The host waits before it reads mapped memory, but for another stream than the kernel runs in.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream computing, other;
  const reachable::Mapped memory;
  hazard::Array<int> out(host::count);
  host::number<<<host::grid, host::block, 0, other>>>(out.get());
  reachable::twice<<<host::grid, host::block, 0, computing>>>(memory.device());
  host::check(cudaStreamSynchronize(fixed ? computing : other));
  const long seen = reachable::sum(memory.values);
  hazard::finish();
  return seen == 2 * reachable::sum_of_numbers;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
