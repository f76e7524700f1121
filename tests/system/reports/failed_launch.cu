// Launches that fail, by name: `report_failed_launch CASE`. What is not read ends up unread.
#include <cuda_runtime.h>

#include <cstdio>
#include <string>
#include <thread>

namespace {

template <class T>
__global__ void scale(T* values) {
  extern __shared__ int scratch[];
  scratch[threadIdx.x] = 1;
  if (values != nullptr) values[threadIdx.x] += static_cast<T>(scratch[threadIdx.x]);
}

__global__ void __launch_bounds__(128) bounded(int* values) {
  if (values != nullptr) *values = 1;
}

cudaError_t launch_clusters(int cluster, int blocks) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(32);
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, scale<int>, static_cast<int*>(nullptr));
}

__global__ void __cluster_dims__(2, 1, 1) paired(int* values) {
  if (values != nullptr) *values = 1;
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  int* none = nullptr;
  const auto too_many_threads = [&] { scale<float><<<1, 2048>>>(nullptr); };
  if (what == "threads") too_many_threads();
  if (what == "shared") scale<int><<<1, 32, 100'000>>>(none);
  if (what == "bounds") bounded<<<1, 256>>>(none);
  if (what == "grid") bounded<<<0, 64>>>(none);
  if (what == "cluster") paired<<<3, 64>>>(none);
  if (what == "thrice")
    for (int i = 0; i < 3; ++i) too_many_threads();
  if (what == "then_good") {
    too_many_threads();
    scale<int><<<1, 32, 4096>>>(none);
  }
  if (what == "read" || what == "peeked") {
    too_many_threads();
    const cudaError_t error = what == "read" ? cudaGetLastError() : cudaPeekAtLastError();
    if (error == cudaSuccess) return 1;
  }
  if (what == "read_before") {
    if (cudaGetLastError() != cudaSuccess) return 1;
    too_many_threads();
  }
  if (what == "other_thread") {
    std::thread(too_many_threads).join();
    if (cudaGetLastError() != cudaSuccess) return 1;
  }
  if (what == "returned" && launch_clusters(64, 64) == cudaSuccess) return 1;
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  std::puts("done");
  return 0;
}
