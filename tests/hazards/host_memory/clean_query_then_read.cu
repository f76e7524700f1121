// hazard: none
// The host asks until the stream is done, and reads then.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

bool run() {
  const host::Stream stream;
  const reachable::Managed memory;
  reachable::twice<<<host::grid, host::block, 0, stream>>>(memory.device());
  while (cudaStreamQuery(stream) == cudaErrorNotReady) {
  }
  return reachable::sum(memory.values) == 2 * reachable::sum_of_numbers;
}

const hazard::Program program(__FILE__, run);

}  // namespace
