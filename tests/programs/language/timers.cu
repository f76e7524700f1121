// links:
// clock, clock64, %globaltimer and __nanosleep: time goes on and never back.
#include <cstdio>

__device__ unsigned long long global_time() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

__global__ void measure(long long* out, float* sink) {
  const clock_t short_start = clock();
  const long long start = clock64();
  const unsigned long long global_start = global_time();
  float value = threadIdx.x;
  for (int i = 0; i < 100; ++i) value = value * 1.5f + 1;
  sink[threadIdx.x] = value;
  long long last = start;
  int back = 0;
  for (int i = 0; i < 20; ++i) {
    const long long now = clock64();
    back += now < last;
    last = now;
  }
  __nanosleep(1000);
  out[4 * threadIdx.x] = clock64() - start;
  out[4 * threadIdx.x + 1] = static_cast<long long>(global_time() - global_start);
  out[4 * threadIdx.x + 2] = back;
  out[4 * threadIdx.x + 3] = static_cast<unsigned>(clock()) - static_cast<unsigned>(short_start);
}

int main() {
  constexpr int threads = 64;
  long long* out = nullptr;
  float* sink = nullptr;
  if (cudaMallocManaged(&out, 4 * threads * sizeof(long long)) != cudaSuccess) return 1;
  if (cudaMalloc(&sink, threads * sizeof(float)) != cudaSuccess) return 1;
  measure<<<1, threads>>>(out, sink);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int i = 0; i < threads; ++i) {
    if (out[4 * i] <= 0 || out[4 * i + 1] < 0 || out[4 * i + 2] != 0 || out[4 * i + 3] <= 0) {
      std::printf("thread %d: %lld cycles, %lld ns, %lld times back\n", i, out[4 * i],
                  out[4 * i + 1], out[4 * i + 2]);
      return 1;
    }
  }
  cudaFree(out);
  cudaFree(sink);
  std::printf("ok\n");
  return 0;
}
