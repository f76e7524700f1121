// links:
// Relocatable device code: kernels of one file call functions and use variables of another, static
// names that both files have stay apart, and the host reaches variables of both.
#include <cstdio>

#include "shared.inc"

static __device__ int own = 10;
static __device__ __noinline__ int helper(int value) { return value + own; }

__global__ void apply(float* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  values[i] = transform(values[i], i) + helper(i) + second_transform(1.0f, i);
  atomicAdd(&counter.calls, 1);
}

int main() {
  constexpr int count = 100;
  float* values = nullptr;
  if (cudaMallocManaged(&values, count * sizeof(float)) != cudaSuccess) return 1;
  for (int i = 0; i < count; ++i) values[i] = static_cast<float>(i);
  const int factors[4] = {1, 2, 3, 4};
  const float shift = 0.5f;
  if (cudaMemcpyToSymbol(scale, factors, sizeof factors) != cudaSuccess) return 1;
  if (cudaMemcpyToSymbol(offset, &shift, sizeof shift) != cudaSuccess) return 1;
  apply<<<4, 32>>>(values, count);
  other_kernel<<<1, 128>>>(values, count);
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(error));
    return 1;
  }
  for (int i = 0; i < count; ++i) {
    const float transformed = i * factors[i % 4] + shift;
    const float expected = 2 * (transformed + i + 10 + (1.0f - i)) + 1000;
    if (values[i] != expected) {
      std::printf("value %d is %g, not %g\n", i, values[i], expected);
      return 1;
    }
  }
  Counter counted{};
  if (cudaMemcpyFromSymbol(&counted, counter, sizeof counted) != cudaSuccess) return 1;
  if (counted.calls != count || counted.last != 7) return 1;
  if (other_sum(values, count) <= 0) return 1;
  cudaFree(values);
  std::printf("ok\n");
  return 0;
}
