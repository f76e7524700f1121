// Launches kernels whose blocks work alone, without clusters: how many run at once, and a launch.
#pragma once

#include "tile/device/tensor_map.hpp"

namespace tile::device {

template <class Params>
struct BlockKernel {
  void (*entry)(Params);
  int threads = 0;
  std::size_t shared_bytes = 0;
};

// Asks for the kernel's shared memory and counts the blocks that the device holds at once.
template <class Params>
int resident_blocks(const BlockKernel<Params>& kernel) {
  check_cuda(cudaFuncSetAttribute(kernel.entry, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(kernel.shared_bytes)),
             "shared memory of the kernel");
  int device = 0, multiprocessors = 0, blocks = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
             "number of multiprocessors");
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel.entry, kernel.threads,
                                                           kernel.shared_bytes),
             "occupancy of the kernel");
  if (blocks < 1)
    base::refuse(base::Exit::environment, "no multiprocessor has room for a block of ",
                 kernel.threads, " threads and ", kernel.shared_bytes, " bytes of shared memory");
  return blocks * multiprocessors;
}

template <class Params>
void launch_blocks(const BlockKernel<Params>& kernel, const Params& params, int blocks,
                   cudaStream_t stream) {
  cudaLaunchConfig_t launch{};
  launch.gridDim = static_cast<unsigned>(blocks);
  launch.blockDim = static_cast<unsigned>(kernel.threads);
  launch.dynamicSmemBytes = kernel.shared_bytes;
  launch.stream = stream;
  check_cuda(cudaLaunchKernelEx(&launch, kernel.entry, params), "launch of a planned kernel");
}

}  // namespace tile::device
