// hazard: uninitialised
// options: --uninitialised
// A kernel adds to a buffer from cudaMalloc that nobody has cleared: its contents are undefined.
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int count = 64;

__global__ void add(int* sums) { sums[threadIdx.x] += static_cast<int>(threadIdx.x); }

template <bool fixed>
bool run() {
  int* sums = nullptr;
  hazard::require(cudaMalloc(&sums, count * sizeof(int)), "cudaMalloc");
  if constexpr (fixed) hazard::require(cudaMemset(sums, 0, count * sizeof(int)), "cudaMemset");
  add<<<1, count>>>(sums);
  hazard::finish();
  int got[count] = {};
  hazard::require(cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost), "cudaMemcpy");
  hazard::require(cudaFree(sums), "cudaFree");
  for (int i = 0; i < count; ++i)
    if (got[i] != i) return false;
  return true;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
