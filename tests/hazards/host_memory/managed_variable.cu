// hazard: host-race
// A __managed__ variable is written by a kernel and read by the host: it has to wait.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

__managed__ int counter;

__global__ void bump() { counter = counter + 5; }

template <bool fixed>
bool run() {
  bump<<<1, 1>>>();
  if constexpr (fixed) host::check(cudaDeviceSynchronize());
  const int seen = counter;
  hazard::finish();
  return seen == 5;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
