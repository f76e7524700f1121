// hazard: host-race
// The host waits for an event between two kernels, but the second writes the memory as well.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream stream;
  const host::Event event;
  const reachable::Managed memory;
  reachable::twice<<<host::grid, host::block, 0, stream>>>(memory.device());
  if constexpr (!fixed) host::check(cudaEventRecord(event, stream));
  reachable::twice<<<host::grid, host::block, 0, stream>>>(memory.device());
  if constexpr (fixed) host::check(cudaEventRecord(event, stream));
  host::check(cudaEventSynchronize(event));
  const long seen = reachable::sum(memory.values);
  hazard::finish();
  return seen == 4 * reachable::sum_of_numbers;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
