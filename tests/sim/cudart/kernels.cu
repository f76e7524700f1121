#include "tests/sim/cudart/kernels.hpp"

__device__ int offset_value = 3;
__device__ int table[10];
__constant__ float coefficients[4] = {1, 2, 3, 4};
__managed__ int managed_value = 7;

__device__ void store(int* out, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] = i + offset_value;
}

__global__ void store_index_kernel(int* out, int count) { store(out, count); }
__global__ void __launch_bounds__(128) store_bounded_kernel(int* out, int count) {
  store(out, count);
}

__global__ void store_mixed_kernel(char small, double wide, Triple triple, float* out) {
  out[0] = static_cast<float>(small);
  out[1] = static_cast<float>(wide);
  out[2] = static_cast<float>(triple.x);
  out[3] = static_cast<float>(triple.y) + coefficients[1];
  out[4] = static_cast<float>(triple.z + table[9]);
}

__global__ void static_shared_kernel(int* out) {
  __shared__ int scratch[10240];
  scratch[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  if (out != nullptr) out[0] = scratch[blockDim.x - 1];
}

__global__ void read_at_kernel(const int* from, long long index, int* out) { out[0] = from[index]; }

__device__ void chain(int rounds, int* out) {
  int value = 1;
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) value = value * 3 + i;
  if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = value;
}

__global__ void spin_kernel(int rounds, int* out) { chain(rounds, out); }

__global__ void spin_early_kernel(int rounds, int* out) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
  chain(rounds, out);
}

__global__ void add_to_kernel(int* at, int amount) { *at += amount; }

__global__ void decide_kernel(cudaGraphConditionalHandle handle, const unsigned* value) {
  cudaGraphSetConditional(handle, *value);
}

__global__ void count_down_kernel(cudaGraphConditionalHandle handle, int* left) {
  cudaGraphSetConditional(handle, --*left > 0);
}

__global__ void managed_increment_kernel() { ++managed_value; }

namespace kernels {

const void* store_index() { return reinterpret_cast<const void*>(store_index_kernel); }
const void* store_bounded() { return reinterpret_cast<const void*>(store_bounded_kernel); }
const void* store_mixed() { return reinterpret_cast<const void*>(store_mixed_kernel); }
const void* static_shared() { return reinterpret_cast<const void*>(static_shared_kernel); }
const void* read_at() { return reinterpret_cast<const void*>(read_at_kernel); }
const void* spin() { return reinterpret_cast<const void*>(spin_kernel); }
const void* spin_early() { return reinterpret_cast<const void*>(spin_early_kernel); }
const void* add_to() { return reinterpret_cast<const void*>(add_to_kernel); }
const void* decide() { return reinterpret_cast<const void*>(decide_kernel); }
const void* count_down() { return reinterpret_cast<const void*>(count_down_kernel); }
const void* offset_variable() { return &offset_value; }
const void* table_variable() { return table; }
const void* constant_variable() { return coefficients; }
int& managed_variable() { return managed_value; }

void launch_store_index(int* out, int count, int blocks, int threads) {
  store_index_kernel<<<blocks, threads>>>(out, count);
}
void launch_managed_increment() { managed_increment_kernel<<<1, 1>>>(); }

}  // namespace kernels
