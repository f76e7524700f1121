// hazard: none
// A host function holds its stream until the host opens the gate, with work on managed memory
// behind it.
#include <atomic>

#include "tests/hazards/host_memory/reachable.cuh"

namespace {

void wait(void* data) {
  while (!static_cast<std::atomic<bool>*>(data)->load()) {
  }
}

bool run() {
  const host::Stream stream;
  const reachable::Managed memory;
  std::atomic<bool> open{false};
  host::check(cudaLaunchHostFunc(stream, wait, &open));
  reachable::twice<<<host::grid, host::block, 0, stream>>>(memory.device());
  open = true;
  host::check(cudaStreamSynchronize(stream));
  return reachable::sum(memory.values) == 2 * reachable::sum_of_numbers;
}

const hazard::Program program(__FILE__, run);

}  // namespace
