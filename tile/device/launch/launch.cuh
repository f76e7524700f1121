// Launches kernels: their shared memory, their cluster, as many of their blocks as run at once.
#pragma once

#include "tile/device/launch/machine.hpp"
#include "tile/device/launch/tensor_map.hpp"

namespace aisp::tile::device {

// A cluster is a block, or a cluster of `cluster_blocks`.
template <class Params>
struct Kernel {
  void (*entry)(Params);
  int threads = 0;
  std::size_t shared_bytes = 0;
  int cluster_blocks = 1;
};

// What cudaLaunchKernelEx reads; it points into itself and stays where it is.
class LaunchShape {
 public:
  template <class Params>
  LaunchShape(const Kernel<Params>& kernel, int clusters, cudaStream_t stream) {
    cluster_.id = cudaLaunchAttributeClusterDimension;
    cluster_.val.clusterDim = {static_cast<unsigned>(kernel.cluster_blocks), 1, 1};
    launch_.gridDim = static_cast<unsigned>(clusters * kernel.cluster_blocks);
    launch_.blockDim = static_cast<unsigned>(kernel.threads);
    launch_.dynamicSmemBytes = kernel.shared_bytes;
    launch_.stream = stream;
    launch_.attrs = &cluster_;
    launch_.numAttrs = kernel.cluster_blocks > 1 ? 1 : 0;
  }
  LaunchShape(const LaunchShape&) = delete;
  LaunchShape& operator=(const LaunchShape&) = delete;
  const cudaLaunchConfig_t* get() const { return &launch_; }

 private:
  cudaLaunchAttribute cluster_{};
  cudaLaunchConfig_t launch_{};
};

// Asks for the kernel's shared memory and counts the clusters that the device holds at once.
template <class Params>
int resident_clusters(const Kernel<Params>& kernel) {
  const Machine machine = current_machine();
  const int multiprocessors = machine.multiprocessors;
  if (kernel.shared_bytes > static_cast<std::size_t>(machine.shared_per_block))
    base::refuse(base::Exit::environment, "a block of the kernel needs ", kernel.shared_bytes,
                 " bytes of shared memory, this device (sm_", machine.architecture,
                 ") has at most ", machine.shared_per_block, " for a block");
  check_cuda(cudaFuncSetAttribute(kernel.entry, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(kernel.shared_bytes)),
             "shared memory of the kernel");
  int clusters = 0;
  if (kernel.cluster_blocks == 1) {
    check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&clusters, kernel.entry,
                                                             kernel.threads, kernel.shared_bytes),
               "occupancy of the kernel");
    clusters *= multiprocessors;
  } else {
    const LaunchShape shape(kernel, multiprocessors / kernel.cluster_blocks, nullptr);
    check_cuda(cudaOccupancyMaxActiveClusters(&clusters, kernel.entry, shape.get()),
               "occupancy of the kernel's clusters");
  }
  if (clusters < 1)
    base::refuse(base::Exit::environment, "no multiprocessor has room for a block of ",
                 kernel.threads, " threads and ", kernel.shared_bytes,
                 " bytes of shared memory in a cluster of ", kernel.cluster_blocks);
  return clusters;
}

template <class Params>
void launch(const Kernel<Params>& kernel, const Params& params, int clusters, cudaStream_t stream) {
  const LaunchShape shape(kernel, clusters, stream);
  // Parameters have kilobytes of tensor maps: cudaLaunchKernelEx would copy them once more.
  void* arguments[] = {const_cast<Params*>(&params)};
  check_cuda(
      cudaLaunchKernelExC(shape.get(), reinterpret_cast<const void*>(kernel.entry), arguments),
      "launch of a planned kernel");
}

}  // namespace aisp::tile::device
