// Parameters of graph nodes: the driver's as the runtime's, and back. All throw.
#pragma once

#include <vector>

#include "sim/cuda/driver.hpp"

namespace aisp::sim::driver {

// A kernel's parameters, with its arguments one pointer each as long as this lives.
class KernelNode {
 public:
  // Of CUDA_KERNEL_NODE_PARAMS in every version.
  KernelNode(CUfunction function, CUkernel kernel, dim3 grid, dim3 block, unsigned shared,
             void** pointers, void** extra);
  explicit KernelNode(const CUDA_KERNEL_NODE_PARAMS_v1& p)
      : KernelNode(p.func, nullptr, {p.gridDimX, p.gridDimY, p.gridDimZ},
                   {p.blockDimX, p.blockDimY, p.blockDimZ}, p.sharedMemBytes, p.kernelParams,
                   p.extra) {}
  explicit KernelNode(const CUDA_KERNEL_NODE_PARAMS_v2& p)
      : KernelNode(p.func, p.kern, {p.gridDimX, p.gridDimY, p.gridDimZ},
                   {p.blockDimX, p.blockDimY, p.blockDimZ}, p.sharedMemBytes, p.kernelParams,
                   p.extra) {}
  explicit KernelNode(const CUDA_KERNEL_NODE_PARAMS_v3& p)
      : KernelNode(p.func, p.kern, {p.gridDimX, p.gridDimY, p.gridDimZ},
                   {p.blockDimX, p.blockDimY, p.blockDimZ}, p.sharedMemBytes, p.kernelParams,
                   p.extra) {}
  const cudaKernelNodeParams* get() const { return &parameters_; }

 private:
  std::vector<void*> unpacked_;
  cudaKernelNodeParams parameters_{};
};

cudaMemcpy3DParms same_copy(const CUDA_MEMCPY3D& parameters);

// The generic form; what a call writes into the runtime's goes back by finish().
class GenericNode {
 public:
  explicit GenericNode(CUgraphNodeParams& parameters);
  cudaGraphNodeParams* get() { return &parameters_; }
  void finish();

 private:
  CUgraphNodeParams& asked_;
  cudaGraphNodeParams parameters_{};
  std::vector<KernelNode> kernel_;  // one, of a kernel's node
};

}  // namespace aisp::sim::driver
