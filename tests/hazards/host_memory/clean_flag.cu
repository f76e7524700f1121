// hazard: none
// A kernel tells the host by a volatile word in pinned memory that its results are there. The host
// polls the word, and reads.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

__global__ void tell(int* values, volatile int* flag) {
  values[threadIdx.x] *= 2;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) *flag = 1;
}

bool run() {
  const host::Stream stream;
  const reachable::Mapped memory;
  int* flag = nullptr;
  host::check(cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped));
  *flag = 0;
  tell<<<1, host::block, 0, stream>>>(memory.device(), flag);
  while (*static_cast<volatile int*>(flag) == 0) {
  }
  __sync_synchronize();
  const int seen = memory.values[host::block - 1];
  hazard::finish();
  host::check(cudaFreeHost(flag));
  return seen == 2 * (host::block - 1);
}

const hazard::Program program(__FILE__, run);

}  // namespace
