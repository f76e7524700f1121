// A mistake of the user's that shows in a library's header; without a fence, and with two calls.
#include <cuda_runtime.h>

#include <cstdio>

#include "tests/system/reports/library.cuh"

namespace {

__global__ void use(int* out) {
  __shared__ int memory[256];
  const library::Tile tile{memory};
  const int t = static_cast<int>(threadIdx.x);
  tile.set(t, 1);                     // the first call
  out[t] = tile.get((t + 32) % 128);  // is read without a barrier
  __syncthreads();
  tile.set(t + 128, 2);                      // the second call
  out[t] += tile.get(128 + (t + 64) % 128);  // is read without one, too
}

}  // namespace

int main() {
  int* out = nullptr;
  cudaMalloc(&out, 1024);
  use<<<1, 128>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() != cudaSuccess) return 1;
  std::puts("done");
  return 0;
}
