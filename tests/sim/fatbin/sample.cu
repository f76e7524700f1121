// The device code whose containers are mutated: small, with a constant and a global variable.
// As a shared library it also has a host function, so that its fatbin registers itself.
#include <cuda_runtime_api.h>

__constant__ float shift[4] = {1, 2, 3, 4};
__device__ unsigned launches = 0;

extern "C" __global__ void affine(const float* in, float* out, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i == 0) ++launches;
  if (i < count) out[i] = 3 * in[i] + shift[i % 4];
}

#ifdef SAMPLE_LIBRARY
extern "C" cudaError_t run_affine(const float* in, float* out, int count) {
  affine<<<1, count>>>(in, out, count);
  return cudaGetLastError();
}

extern "C" cudaError_t load_affine() {
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes(&attributes, affine);
}
#endif
