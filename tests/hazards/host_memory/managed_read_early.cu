// hazard: host-race
// A kernel writes managed memory, and the host reads it without having waited.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

template <bool fixed>
bool run() {
  // example begin: host-race
  const host::Stream stream;
  const reachable::Managed memory;
  reachable::twice<<<host::grid, host::block, 0, stream>>>(memory.device());
  if constexpr (fixed) host::check(cudaStreamSynchronize(stream));
  const long seen = reachable::sum(memory.values);
  hazard::finish();
  // example end
  return seen == 2 * reachable::sum_of_numbers;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
