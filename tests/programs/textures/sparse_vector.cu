// A sparse matrix times a vector that is read through a texture on linear memory.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.hpp"

namespace {

unsigned next_random(unsigned& state) { return state = state * 1664525u + 1013904223u; }

constexpr int rows = 500, columns = 700;

__global__ void multiply(const int* first, const int* column, const float* value,
                         cudaTextureObject_t vector, float* out) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = first[row]; i < first[row + 1]; ++i)
    sum += value[i] * tex1Dfetch<float>(vector, column[i]);
  out[row] = sum;
}

// Beside the memory a texture gives zeros.
__global__ void beside(cudaTextureObject_t vector, float* out) {
  out[0] = tex1Dfetch<float>(vector, -1);
  out[1] = tex1Dfetch<float>(vector, columns);
}

template <class T>
T* on_device(const std::vector<T>& values) {
  T* memory;
  CHECK(cudaMalloc(&memory, values.size() * sizeof(T)));
  CHECK(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

}  // namespace

int main() {
  unsigned state = 29;
  std::vector<int> first{0}, column;
  std::vector<float> value, vector(columns);
  for (int row = 0; row < rows; ++row) {
    for (unsigned n = next_random(state) >> 29; n > 0; --n) {
      column.push_back(static_cast<int>(next_random(state) % columns));
      value.push_back(static_cast<float>(next_random(state) >> 27));
    }
    first.push_back(static_cast<int>(column.size()));
  }
  for (float& one : vector) one = static_cast<float>(next_random(state) >> 26);
  int *d_first = on_device(first), *d_column = on_device(column);
  float *d_value = on_device(value), *d_vector = on_device(vector), *out;
  CHECK(cudaMalloc(&out, rows * sizeof(float)));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = d_vector;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = columns * sizeof(float);
  cudaTextureDesc how{};
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  multiply<<<(rows + 63) / 64, 64>>>(d_first, d_column, d_value, texture, out);
  CHECK(cudaGetLastError());
  std::vector<float> got(rows);
  CHECK(cudaMemcpy(got.data(), out, rows * sizeof(float), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int row = 0; row < rows; ++row) {
    double want = 0;
    for (int i = first[row]; i < first[row + 1]; ++i) want += double{value[i]} * vector[column[i]];
    right &= got[row] == want;  // whole numbers: exact
  }
  beside<<<1, 1>>>(texture, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(got.data(), out, 2 * sizeof(float), cudaMemcpyDeviceToHost));
  right &= got[0] == 0 && got[1] == 0;
  CHECK(cudaDestroyTextureObject(texture));
  for (void* memory :
       {static_cast<void*>(d_first), static_cast<void*>(d_column), static_cast<void*>(d_value),
        static_cast<void*>(d_vector), static_cast<void*>(out)})
    CHECK(cudaFree(memory));
  if (right) std::puts("ok");
  return right ? 0 : 1;
}
