// The heap of the device: malloc, free, new and delete from many threads, memory that outlives its
// kernel, alignment, the heap's limit and null pointers behind it.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "check.hpp"

struct Node {
  int value;
  Node* next;
  __device__ explicit Node(int value, Node* next = nullptr) : value(value), next(next) {}
  __device__ ~Node() { value = -1; }
};

// Every thread builds a list, sums it up and gives it back.
__global__ void lists(int* sums, int length) {
  Node* first = nullptr;
  for (int i = 0; i < length; ++i) first = new Node(i * (int)threadIdx.x, first);
  int sum = 0;
  while (first != nullptr) {
    Node* next = first->next;
    sum += first->value;
    delete first;
    first = next;
  }
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__device__ int* kept[64];

__global__ void keep(int bytes) {
  kept[threadIdx.x] = static_cast<int*>(malloc(bytes));
  if (kept[threadIdx.x] != nullptr)
    for (int i = 0; i < bytes / 4; ++i) kept[threadIdx.x][i] = i + (int)threadIdx.x;
}
__global__ void use_and_free(int* out, int bytes, int* misaligned) {
  int sum = 0;
  for (int i = 0; i < bytes / 4; ++i) sum += kept[threadIdx.x][i];
  out[threadIdx.x] = sum;
  if (reinterpret_cast<std::uintptr_t>(kept[threadIdx.x]) % 16 != 0) atomicAdd(misaligned, 1);
  free(kept[threadIdx.x]);
  free(nullptr);
}

__global__ void arrays(long* out) {
  long* values = new long[threadIdx.x + 1];
  for (unsigned i = 0; i <= threadIdx.x; ++i) values[i] = i * i;
  long sum = 0;
  for (unsigned i = 0; i <= threadIdx.x; ++i) sum += values[i];
  out[threadIdx.x] = sum;
  delete[] values;
}

__global__ void too_much(std::size_t bytes, int* refused) {
  void* first = malloc(bytes);
  void* second = malloc(bytes);
  refused[0] = first == nullptr;
  refused[1] = second == nullptr;
  free(first);
  free(second);
  void* again = malloc(bytes);
  refused[2] = again == nullptr;
  free(again);
}

int main() {
  std::size_t limit = 0;
  CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  EXPECT(limit == 8u << 20);
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 4u << 20));
  CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  EXPECT(limit >= 4u << 20);

  int* out = nullptr;
  CHECK(cudaMallocManaged(&out, 128 * sizeof(int)));
  lists<<<2, 64>>>(out, 20);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 128; ++i) EXPECT(out[i] == 190 * (i % 64));

  int* misaligned = nullptr;
  CHECK(cudaMallocManaged(&misaligned, sizeof(int)));
  *misaligned = 0;
  keep<<<1, 64>>>(100);
  use_and_free<<<1, 64>>>(out, 100, misaligned);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 64; ++i) EXPECT(out[i] == 300 + 25 * i);
  EXPECT(*misaligned == 0);

  long* sums = nullptr;
  CHECK(cudaMallocManaged(&sums, 33 * sizeof(long)));
  arrays<<<1, 33>>>(sums);
  CHECK(cudaDeviceSynchronize());
  for (long i = 0; i < 33; ++i) EXPECT(sums[i] == i * (i + 1) * (2 * i + 1) / 6);

  too_much<<<1, 1>>>(3u << 20, out);
  CHECK(cudaDeviceSynchronize());
  EXPECT(out[0] == 0 && out[1] == 1 && out[2] == 0);
  CHECK(cudaFree(out));
  CHECK(cudaFree(sums));
  CHECK(cudaFree(misaligned));
  std::printf("ok\n");
  return 0;
}
