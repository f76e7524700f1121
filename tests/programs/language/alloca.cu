// links:
// alloca: memory on a thread's stack whose size is known at run time, also in recursion.
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

__global__ void use(int* out) {
  const int i = threadIdx.x;
  // More than a stack holds, all together: what a function takes goes when it returns.
  int squares = 0;
  for (int turn = 0; turn < turns; ++turn) squares += sum_of_squares(i + 1 + turn % 3);
  out[2 * i] = squares;
  out[2 * i + 1] = nested(i % 10);
}

int main() {
  constexpr int threads = 48;
  int* out = nullptr;
  if (cudaMallocManaged(&out, 2 * threads * sizeof(int)) != cudaSuccess) return 1;
  use<<<1, threads>>>(out);
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(error));
    return 1;
  }
  for (int i = 0; i < threads; ++i) {
    int squares = 0, bytes = 0;
    for (int turn = 0; turn < turns; ++turn)
      for (int k = 0; k <= i + turn % 3; ++k) squares += k * k;
    for (int depth = i % 10; depth > 0; --depth) bytes += 3 * depth * depth;
    if (out[2 * i] != squares || out[2 * i + 1] != bytes) {
      std::printf("thread %d: %d %d\n", i, out[2 * i], out[2 * i + 1]);
      return 1;
    }
  }
  cudaFree(out);
  std::printf("ok\n");
  return 0;
}
