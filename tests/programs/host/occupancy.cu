// What a program asks before it launches: occupancy, the largest block, attributes of a function,
// more shared memory than 48 KiB, cluster limits, and a launch made of the answers.
#include "check.hpp"

namespace {

__global__ void __launch_bounds__(256, 2) bounded(int* out, int count) {
  extern __shared__ int memory[];
  memory[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = memory[blockDim.x - 1 - threadIdx.x];
}
__global__ void plain(float* data, int count) {
  __shared__ float mine[32];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    mine[threadIdx.x % 32] = 1;  // all write the same
    data[i] = 2 * mine[threadIdx.x % 32];
  }
}

}  // namespace

int main() {
  int grid = 0, block = 0;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain));
  expect(grid > 0 && block > 0 && block % 32 == 0 && block <= 1024, "a block size is suggested");
  constexpr int count = 5000;
  const OnDevice<float> data(count);
  plain<<<grid, block>>>(data.get(), count);
  finish();
  expect_equal(data.fetch(), std::vector<float>(count, 2), "with the suggested sizes");

  cudaFuncAttributes attributes{};
  CHECK(cudaFuncGetAttributes(&attributes, bounded));
  expect(attributes.maxThreadsPerBlock == 256 && attributes.sharedSizeBytes == 0, "of `bounded`");
  CHECK(cudaFuncGetAttributes(&attributes, plain));
  expect(attributes.sharedSizeBytes == 128 && attributes.numRegs > 0, "of `plain`");

  cudaDeviceProp properties{};
  CHECK(cudaGetDeviceProperties(&properties, 0));
  const int optin = static_cast<int>(properties.sharedMemPerBlockOptin);
  expect(optin > 48 * 1024, "more shared memory than the default");
  const OnDevice<int> out(256);
  bounded<<<1, 256, optin>>>(out.get(), 256);
  expect(cudaGetLastError() == cudaErrorInvalidValue, "it must be asked for");
  CHECK(cudaFuncSetAttribute(bounded, cudaFuncAttributeMaxDynamicSharedMemorySize, optin));
  CHECK(cudaFuncSetAttribute(bounded, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxShared));
  CHECK(cudaFuncSetCacheConfig(bounded, cudaFuncCachePreferShared));
  bounded<<<1, 256, optin>>>(out.get(), 256);
  finish();
  std::vector<int> want(256);
  for (int i = 0; i < 256; ++i) want[i] = 255 - i;
  expect_equal(out.fetch(), want, "with all shared memory");

  int one = 0, two = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&one, bounded, 256, optin));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&two, bounded, 256, 1024,
                                                               cudaOccupancyDefault));
  expect(one == 1 && two >= 2, "blocks on a multiprocessor");
  std::size_t dynamic = 0;
  CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, bounded, 2, 256));
  expect(dynamic > 48 * 1024 && dynamic <= properties.sharedMemPerMultiprocessor / 2, "half of it");
  CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      &grid, &block, bounded, [](int threads) { return threads * sizeof(int); }, 256));
  expect(block > 0 && block <= 256, "within the launch bound");

  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {2, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = 4;
  config.blockDim = 128;
  config.attrs = &attribute;
  config.numAttrs = 1;
  int cluster = 0, clusters = 0;
  CHECK(cudaOccupancyMaxPotentialClusterSize(&cluster, plain, &config));
  CHECK(cudaOccupancyMaxActiveClusters(&clusters, plain, &config));
  expect(cluster >= 2 && clusters >= 1, "clusters");
  return passed();
}
