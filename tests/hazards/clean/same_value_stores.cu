// hazard: none
// options: --uninitialised
// Many threads store the same value into one word, in shared and in global memory: whoever is last,
// the word is the same. A reader comes after a barrier, or in the next launch.
#include "tests/hazards/hazard.hpp"

namespace {

__global__ void find(const int* in, int* found, int* out) {
  __shared__ bool any;
  if (threadIdx.x == 0) any = false;
  __syncthreads();
  if (in[threadIdx.x] % 3 == 0) {
    any = true;
    *found = 1;  // by both blocks
  }
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = any;
}

bool run() {
  std::vector<int> values(64);
  for (int i = 0; i < 64; ++i) values[i] = i;
  hazard::Array<int> in(values), found(1), out(128);
  find<<<2, 64>>>(in.get(), found.get(), out.get());
  hazard::finish();
  return found.holds([](int) { return 1; }) && out.holds([](int) { return 1; });
}

const hazard::Program program(__FILE__, run);

}  // namespace
