#include "shared.inc"

__device__ Counter counter = {0, 7.0f};
__device__ int scale[4];
__constant__ float offset;

static __device__ int own = 1000;
static __device__ __noinline__ int helper(int value) { return value * 2 + own; }

__device__ float transform(float value, int index) { return value * scale[index % 4] + offset; }
static __device__ float subtract(float value, int index) { return value - index; }
__device__ Transform second_transform = subtract;

__global__ void other_kernel(float* values, int count) {
  const int i = threadIdx.x;
  if (i < count) values[i] = values[i] * 2 + helper(0);
}

float other_sum(const float* values, int count) {
  float sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i];
  return sum;
}
