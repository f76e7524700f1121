// Memory in stream order: a default pool with a release threshold, a pool of one's own, memory
// passed from one stream to another by an event, and what the pool says about itself.
#include <cstdint>

#include "check.hpp"

namespace {

__global__ void fill(int* data, int count, int first) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    data[i] = first + i;
}
__global__ void sum_into(const int* a, const int* b, int* out, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    out[i] = a[i] + b[i];
}

}  // namespace

int main() {
  constexpr int count = 3000;
  constexpr std::size_t bytes = count * sizeof(int);
  int supported = 0;
  CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
  expect(supported == 1, "pools are supported");
  cudaMemPool_t standard, own;
  CHECK(cudaDeviceGetDefaultMemPool(&standard, 0));
  std::uint64_t keep = ~0ull;
  CHECK(cudaMemPoolSetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &keep));
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  CHECK(cudaMemPoolCreate(&own, &properties));

  cudaStream_t a, b;
  cudaEvent_t ready, used;
  CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&used, cudaEventDisableTiming));
  const OnDevice<int> out(count);
  for (int turn = 0; turn < 3; ++turn) {
    int *left = nullptr, *right = nullptr, *between = nullptr;
    CHECK(cudaMallocAsync(&left, bytes, a));
    CHECK(cudaMallocFromPoolAsync(&right, bytes, own, a));
    fill<<<4, 128, 0, a>>>(left, count, turn);
    fill<<<4, 128, 0, a>>>(right, count, 10);
    CHECK(cudaEventRecord(ready, a));
    CHECK(cudaStreamWaitEvent(b, ready));
    CHECK(cudaMallocAsync(&between, bytes, b));
    sum_into<<<4, 128, 0, b>>>(left, right, between, count);
    CHECK(cudaFreeAsync(right, b));
    CHECK(cudaEventRecord(used, b));
    CHECK(cudaStreamWaitEvent(a, used));
    CHECK(cudaFreeAsync(left, a));
    CHECK(cudaMemcpyAsync(out.get(), between, bytes, cudaMemcpyDeviceToDevice, b));
    CHECK(cudaFreeAsync(between, b));
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(b));
    std::vector<int> want(count);
    for (int i = 0; i < count; ++i) want[i] = 2 * i + turn + 10;
    expect_equal(out.fetch(), want, "sum");
  }
  CHECK(cudaDeviceSynchronize());
  std::uint64_t in_use = 1, most = 0, reserved = 0;
  CHECK(cudaMemPoolGetAttribute(standard, cudaMemPoolAttrUsedMemCurrent, &in_use));
  CHECK(cudaMemPoolGetAttribute(standard, cudaMemPoolAttrUsedMemHigh, &most));
  CHECK(cudaMemPoolGetAttribute(standard, cudaMemPoolAttrReservedMemCurrent, &reserved));
  expect(in_use == 0 && most >= bytes && reserved >= in_use, "what the pool says");
  CHECK(cudaMemPoolTrimTo(standard, 0));
  CHECK(cudaDeviceSetMemPool(0, own));
  cudaMemPool_t current;
  CHECK(cudaDeviceGetMemPool(&current, 0));
  expect(current == own, "the device's pool is the one that was set");
  int* from_own = nullptr;
  CHECK(cudaMallocAsync(&from_own, bytes, a));
  CHECK(cudaStreamSynchronize(a));
  CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &in_use));
  expect(in_use >= bytes, "allocations come from it");
  CHECK(cudaFree(from_own));  // a synchronising free is allowed as well
  CHECK(cudaDeviceSetMemPool(0, standard));
  CHECK(cudaMemPoolDestroy(own));
  CHECK(cudaEventDestroy(ready));
  CHECK(cudaEventDestroy(used));
  CHECK(cudaStreamDestroy(a));
  CHECK(cudaStreamDestroy(b));
  return passed();
}
