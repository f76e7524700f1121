// hazard: host-race
// A launch into the default stream is asynchronous too: the host reads managed memory while the
// kernel may still run.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

template <bool fixed>
bool run() {
  const reachable::Managed memory;
  reachable::twice<<<host::grid, host::block>>>(memory.device());
  if constexpr (fixed) host::check(cudaDeviceSynchronize());
  const long seen = reachable::sum(memory.values);
  hazard::finish();
  return seen == 2 * reachable::sum_of_numbers;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
