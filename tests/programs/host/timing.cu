// How people time kernels: events around a loop, the device's clocks inside, bandwidth from both,
// and the properties that a report prints.
#include "check.hpp"

namespace {

__global__ void copy(const float4* from, float4* to, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    to[i] = from[i];
}
__global__ void clocks(long long* out) {
  const long long begin = clock64();
  unsigned long long start, end;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  __nanosleep(1000);
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end));
  if (threadIdx.x == 0) {
    out[0] = clock64() - begin;
    out[1] = static_cast<long long>(end - start);
  }
}

}  // namespace

int main() {
  constexpr int count = 4096, rounds = 5;
  const auto values = reals(4 * count, 3);
  const OnDevice<float> from(values), to(values.size());
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventRecord(begin));
  for (int round = 0; round < rounds; ++round)
    copy<<<8, 128>>>(reinterpret_cast<const float4*>(from.get()),
                     reinterpret_cast<float4*>(to.get()), count);
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  expect(milliseconds > 0, "time passes");
  expect_equal(to.fetch(), values, "copied");
  const OnDevice<long long> ticks(2);
  clocks<<<1, 32>>>(ticks.get());
  finish();
  for (const long long tick : ticks.fetch())
    expect(tick >= 0 && tick < 1'000'000'000, "clocks go on");
  cudaDeviceProp properties{};
  CHECK(cudaGetDeviceProperties(&properties, 0));
  int memory_clock = 0, bus = 0, driver = 0, runtime = 0;
  CHECK(cudaDeviceGetAttribute(&memory_clock, cudaDevAttrMemoryClockRate, 0));
  CHECK(cudaDeviceGetAttribute(&bus, cudaDevAttrGlobalMemoryBusWidth, 0));
  CHECK(cudaDriverGetVersion(&driver));
  CHECK(cudaRuntimeGetVersion(&runtime));
  std::size_t available = 0, total = 0;
  CHECK(cudaMemGetInfo(&available, &total));
  expect(properties.major == 9 && properties.multiProcessorCount > 0 && memory_clock > 0 &&
             bus > 0 && driver >= runtime && runtime >= 13000 && available <= total &&
             available > 0,
         "properties");
  std::printf("%s: %.1f GB/s\n", properties.name,
              2e-6 * rounds * count * sizeof(float4) / milliseconds);
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  return passed();
}
