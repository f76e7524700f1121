// links:
// expects: exit 3, "trap"
// __trap ends the kernel and loses the device: cudaErrorLaunchFailure, and at every call after it.
#include <cstdio>

__global__ void stop(int when) {
  if (static_cast<int>(threadIdx.x) == when) __trap();
}

int main() {
  stop<<<1, 32>>>(40);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  stop<<<1, 32>>>(4);
  if (cudaDeviceSynchronize() != cudaErrorLaunchFailure) return 1;
  if (cudaDeviceSynchronize() != cudaErrorLaunchFailure) return 1;
  std::printf("the device is lost after a trap\n");
  return 3;
}
