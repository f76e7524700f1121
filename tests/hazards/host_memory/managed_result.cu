// hazard: host-race
// One word of managed memory holds the result of a kernel. The host prints it without waiting.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

__global__ void reduce(int* result) {
  const int sum = __reduce_add_sync(0xffffffffu, static_cast<int>(threadIdx.x));
  if (threadIdx.x == 0) *result = sum;
}

template <bool fixed>
bool run() {
  int* result = nullptr;
  host::check(cudaMallocManaged(&result, sizeof(int)));
  *result = 0;
  reduce<<<1, 32>>>(result);
  if constexpr (fixed) host::check(cudaDeviceSynchronize());
  const int seen = *result;
  hazard::finish();
  host::check(cudaFree(result));
  return seen == 496;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
