// hazard: none
// A kernel that runs asks the host for a number and gets it: both poll words of managed memory.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

__global__ void ask(volatile int* words) {
  words[0] = 1;
  while (words[1] == 0) {
  }
  __threadfence_system();
  words[3] = words[2] + 1;
}

bool run() {
  int* words = nullptr;
  host::check(cudaMallocManaged(&words, 4 * sizeof(int)));
  words[0] = words[1] = words[2] = words[3] = 0;
  ask<<<1, 1>>>(words);
  volatile int* const seen = words;
  while (seen[0] == 0) {
  }
  seen[2] = 41;
  __sync_synchronize();
  seen[1] = 1;
  hazard::finish();
  const int answer = words[3];
  host::check(cudaFree(words));
  return answer == 42;
}

const hazard::Program program(__FILE__, run);

}  // namespace
