// Launches a recipe's kernel: its shared memory, its cluster, as many workers as run at once.
#pragma once

#include "tile/device/tensor_map.hpp"
#include "tile/kernel/warp_specialized.cuh"

namespace tile::device {

// The start of dynamic shared memory is rounded up to the swizzle's 1024 bytes.
template <class Recipe>
constexpr std::size_t shared_bytes = sizeof(GemmShared<Recipe>) + 1024;

// What cudaLaunchKernelEx reads; it points into itself and stays where it is.
class LaunchShape {
 public:
  LaunchShape(const GemmConfig& config, std::size_t bytes, int workers, cudaStream_t stream) {
    cluster_.id = cudaLaunchAttributeClusterDimension;
    cluster_.val.clusterDim = {static_cast<unsigned>(config.blocks()), 1, 1};
    launch_.gridDim = static_cast<unsigned>(workers * config.blocks());
    launch_.blockDim = static_cast<unsigned>(config.threads());
    launch_.dynamicSmemBytes = bytes;
    launch_.stream = stream;
    launch_.attrs = &cluster_;
    launch_.numAttrs = config.blocks() > 1 ? 1 : 0;
  }
  LaunchShape(const LaunchShape&) = delete;
  LaunchShape& operator=(const LaunchShape&) = delete;
  const cudaLaunchConfig_t* get() const { return &launch_; }

 private:
  cudaLaunchAttribute cluster_{};
  cudaLaunchConfig_t launch_{};
};

// How many workers (blocks, or clusters of them) of the kernel run at the same time.
template <class Recipe>
int resident_workers() {
  constexpr GemmConfig config = Recipe::config;
  constexpr std::size_t bytes = shared_bytes<Recipe>;
  auto* kernel = gemm_warp_specialized<Recipe>;
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
             "shared memory of the kernel");
  int device = 0, multiprocessors = 0, workers = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
             "number of multiprocessors");
  if constexpr (config.blocks() == 1) {
    check_cuda(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&workers, kernel, config.threads(), bytes),
        "occupancy of the kernel");
    workers *= multiprocessors;
  } else {
    const LaunchShape shape(config, bytes, multiprocessors / config.blocks(), nullptr);
    check_cuda(cudaOccupancyMaxActiveClusters(&workers, kernel, shape.get()),
               "occupancy of the kernel's clusters");
  }
  if (workers < 1)
    base::refuse(base::Exit::environment, "no multiprocessor has room for a block of ",
                 config.threads(), " threads and ", bytes,
                 " bytes of shared memory in a cluster of ", config.blocks());
  return workers;
}

template <class Recipe>
void launch(const GemmParams<Recipe>& params, int workers, cudaStream_t stream) {
  const LaunchShape shape(Recipe::config, shared_bytes<Recipe>, workers, stream);
  check_cuda(cudaLaunchKernelEx(shape.get(), gemm_warp_specialized<Recipe>, params),
             "launch of gemm_warp_specialized");
}

}  // namespace tile::device
