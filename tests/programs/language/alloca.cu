// links:
// alloca: memory on a thread's stack whose size is known at run time, also in loops and recursion.
#include <cstdint>
#include <cstdio>

__device__ __noinline__ int sum_of_squares(int count) {
  int* values = static_cast<int*>(alloca(count * sizeof(int)));
  for (int i = 0; i < count; ++i) values[i] = i * i;
  int sum = 0;
  for (int i = count - 1; i >= 0; --i) sum += values[i];
  return sum;
}

__device__ __noinline__ int nested(int depth) {
  if (depth == 0) return 0;
  char* bytes = static_cast<char*>(alloca(depth * 3));
  for (int i = 0; i < depth * 3; ++i) bytes[i] = static_cast<char>(depth);
  const int below = nested(depth - 1);
  int sum = 0;
  for (int i = 0; i < depth * 3; ++i) sum += bytes[i];
  return sum + below;
}

constexpr int turns = 400;

struct Link {
  Link* before;
  int value;
};

__global__ void use(int* out, int* misaligned, int link_bytes) {
  const int i = threadIdx.x;
  // More than a stack holds, all together: what a function takes goes when it returns.
  int squares = 0;
  for (int turn = 0; turn < turns; ++turn) squares += sum_of_squares(i + 1 + turn % 3);
  out[3 * i] = squares;
  out[3 * i + 1] = nested(i % 10);
  Link* last = nullptr;
  for (int turn = 0; turn <= i % 7; ++turn) {
    Link* next = static_cast<Link*>(alloca(link_bytes));
    next->before = last;
    next->value = turn;
    last = next;
    if (reinterpret_cast<std::uintptr_t>(next) % alignof(Link) != 0) atomicAdd(misaligned, 1);
  }
  int sum = 0;
  for (; last != nullptr; last = last->before) sum = sum * 2 + last->value;
  out[3 * i + 2] = sum;
}

int main() {
  constexpr int threads = 48;
  int* out = nullptr;
  int* misaligned = nullptr;
  if (cudaMallocManaged(&out, 3 * threads * sizeof(int)) != cudaSuccess) return 1;
  if (cudaMallocManaged(&misaligned, sizeof(int)) != cudaSuccess) return 1;
  *misaligned = 0;
  use<<<1, threads>>>(out, misaligned, sizeof(Link));
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(error));
    return 1;
  }
  for (int i = 0; i < threads; ++i) {
    int squares = 0, bytes = 0, links = 0;
    for (int turn = 0; turn < turns; ++turn)
      for (int k = 0; k <= i + turn % 3; ++k) squares += k * k;
    for (int depth = i % 10; depth > 0; --depth) bytes += 3 * depth * depth;
    for (int turn = i % 7; turn >= 0; --turn) links = links * 2 + turn;
    if (out[3 * i] != squares || out[3 * i + 1] != bytes || out[3 * i + 2] != links) {
      std::printf("thread %d: %d %d %d\n", i, out[3 * i], out[3 * i + 1], out[3 * i + 2]);
      return 1;
    }
  }
  if (*misaligned != 0) return 1;
  cudaFree(out);
  cudaFree(misaligned);
  std::printf("ok\n");
  return 0;
}
