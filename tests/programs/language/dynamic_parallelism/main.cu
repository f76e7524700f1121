// links:
// expects: exit 4, "dynamic parallelism"
// A kernel that launches another: refused by name, with the function of the device's runtime that
// the simulator does not have.
#include <cstdio>

__global__ void child(int* out) { out[threadIdx.x] = 1; }
__global__ void parent(int* out) { child<<<1, 32>>>(out); }

int main() {
  int* out = nullptr;
  cudaMalloc(&out, 32 * sizeof(int));
  parent<<<1, 1>>>(out);
  const cudaError_t error = cudaGetLastError();
  std::printf("%s\n", cudaGetErrorName(error));
  return error == cudaErrorInvalidPtx ? 4 : 1;
}
