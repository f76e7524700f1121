// hazard: none
// A kernel stores its result with an atomic of the whole system, and the host polls for it with
// atomics.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

__global__ void find(int* result) { atomicAdd_system(result, 1); }

bool run() {
  int* result = nullptr;
  host::check(cudaMallocManaged(&result, sizeof(int)));
  *result = 0;
  find<<<1, 32>>>(result);
  int seen = 0;
  while ((seen = __atomic_load_n(result, __ATOMIC_ACQUIRE)) != 32) {
  }
  hazard::finish();
  host::check(cudaFree(result));
  return seen == 32;
}

const hazard::Program program(__FILE__, run);

}  // namespace
