// links:
// Recursion, mutual recursion, function pointers of the device in tables and arguments, and
// lambdas.
#include <cstdio>

__device__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
static int host_ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return host_ackermann(m - 1, 1);
  return host_ackermann(m - 1, host_ackermann(m, n - 1));
}

__device__ __noinline__ bool is_odd(unsigned n);
__device__ __noinline__ bool is_even(unsigned n) { return n == 0 || is_odd(n - 1); }
__device__ __noinline__ bool is_odd(unsigned n) { return n != 0 && is_even(n - 1); }

// Quicksort in place, with an array on the stack of every activation.
__device__ __noinline__ void quicksort(int* values, int count) {
  if (count < 2) return;
  const int pivot[3] = {values[0], values[count / 2], values[count - 1]};
  const int middle = pivot[count % 3];
  int left = 0, right = count - 1;
  while (left <= right) {
    while (values[left] < middle) ++left;
    while (values[right] > middle) --right;
    if (left <= right) {
      const int other = values[left];
      values[left++] = values[right];
      values[right--] = other;
    }
  }
  quicksort(values, right + 1);
  quicksort(values + left, count - left);
}

using Binary = int (*)(int, int);
__device__ int plus(int a, int b) { return a + b; }
__device__ int minus(int a, int b) { return a - b; }
__device__ int times(int a, int b) { return a * b; }
__device__ Binary table[3] = {plus, minus, times};
__device__ Binary chosen = times;

template <class F>
__device__ __noinline__ int twice(F function, int value) {
  return function(function(value));
}

__global__ void call_all(int* out, Binary from_host) {
  const int i = threadIdx.x;
  out[i] = ackermann(i % 3, i % 5);
  out[32 + i] = is_even(i) ? 1 : 0;
  out[64 + i] = table[i % 3](i, 7);
  out[96 + i] = from_host(i, 3);
  out[128 + i] = twice([i](int value) { return value * i + 1; }, 2);
}

__global__ void sort_rows(int* rows, int width) { quicksort(rows + threadIdx.x * width, width); }

int main() {
  int* out = nullptr;
  if (cudaMallocManaged(&out, 160 * sizeof(int)) != cudaSuccess) return 1;
  Binary from_host = nullptr;
  if (cudaMemcpyFromSymbol(&from_host, chosen, sizeof from_host) != cudaSuccess) return 1;
  call_all<<<1, 32>>>(out, from_host);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int i = 0; i < 32; ++i) {
    const int applied = i % 3 == 0 ? i + 7 : i % 3 == 1 ? i - 7 : i * 7;
    if (out[i] != host_ackermann(i % 3, i % 5) || out[32 + i] != (i % 2 == 0) ||
        out[64 + i] != applied || out[96 + i] != i * 3 || out[128 + i] != (2 * i + 1) * i + 1) {
      std::printf("thread %d: %d %d %d %d %d\n", i, out[i], out[32 + i], out[64 + i], out[96 + i],
                  out[128 + i]);
      return 1;
    }
  }
  constexpr int width = 50, rows = 40;
  int* values = nullptr;
  if (cudaMallocManaged(&values, rows * width * sizeof(int)) != cudaSuccess) return 1;
  long before = 0, after = 0;
  for (int i = 0; i < rows * width; ++i) before += values[i] = (i * 7919) % 1009;
  sort_rows<<<1, rows>>>(values, width);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int i = 0; i < rows * width; ++i) {
    after += values[i];
    if (i % width != 0 && values[i - 1] > values[i]) return 1;
  }
  if (before != after) return 1;
  cudaFree(out);
  cudaFree(values);
  std::printf("ok\n");
  return 0;
}
