// links:
// flags: -UNDEBUG
// expects: exit 3, "Assertion `index < count` failed"
// A failing assert on the device: its line on stderr, cudaErrorAssert at the next wait, and at
// every call after it.
#undef NDEBUG  // this assert is to stay
#include <cassert>
#include <cstdio>

__global__ void guarded(int* values, int count, int index) {
  assert(index < count);
  values[index] = index;
}

int main() {
  int* values = nullptr;
  cudaMalloc(&values, 4 * sizeof(int));
  guarded<<<1, 1>>>(values, 4, 3);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  guarded<<<1, 1>>>(values, 4, 4);
  if (cudaDeviceSynchronize() != cudaErrorAssert) return 1;
  if (cudaDeviceSynchronize() != cudaErrorAssert || cudaFree(values) != cudaErrorAssert) return 1;
  if (cudaGetLastError() != cudaErrorAssert) return 1;
  std::printf("%s\n", cudaGetErrorName(cudaErrorAssert));
  return 3;
}
