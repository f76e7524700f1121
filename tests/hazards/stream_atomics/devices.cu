// hazard: stream-race
// options: --device h200,sms=4,gpus=2
// Two devices count in managed memory with atomics that hold for one device only.
#include "tests/hazards/host/streams.cuh"

namespace {

template <bool fixed>
__global__ void count_up(int* counter) {
  if constexpr (fixed)
    atomicAdd_system(counter, 1);
  else
    atomicAdd(counter, 1);
}

template <bool fixed>
bool run() {
  int* counter = nullptr;
  host::check(cudaMallocManaged(&counter, sizeof(int)));
  *counter = 0;
  for (const int device : {0, 1}) {
    host::check(cudaSetDevice(device));
    count_up<fixed><<<1, 32>>>(counter);
  }
  for (const int device : {0, 1}) {
    host::check(cudaSetDevice(device));
    hazard::finish();
  }
  const int seen = *counter;
  host::check(cudaFree(counter));
  return seen == 64;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
