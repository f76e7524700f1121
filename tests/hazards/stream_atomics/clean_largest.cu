// hazard: none
// Two streams look for the largest value with loops around a compare-and-swap, each of which
// begins with a plain load: a guess that the swap corrects.
#include "tests/hazards/host/streams.cuh"

namespace {

__global__ void raise(int* largest, int factor) {
  const int value = factor * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int seen = *largest;
  while (seen < value) {
    const int before = atomicCAS(largest, seen, value);
    if (before == seen) break;
    seen = before;
  }
}

bool run() {
  const host::Stream first, second;
  hazard::Array<int> largest(1);
  raise<<<host::grid, host::block, 0, first>>>(largest.get(), 1);
  raise<<<host::grid, host::block, 0, second>>>(largest.get(), 2);
  hazard::finish();
  return largest.holds([](int) { return 2 * (host::count - 1); });
}

const hazard::Program program(__FILE__, run);

}  // namespace
