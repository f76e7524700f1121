// Launches that may start before the kernel ahead of them has ended.
#pragma once

#include "tests/hazards/host/streams.cuh"

namespace chain {

__device__ inline void wait() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
__device__ inline void let_go() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
__device__ inline int index() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

// Kernels at the head of a chain, which let go before they touch anything.
static __global__ void number(int* out) {
  let_go();
  out[index()] = index();
}
static __global__ void add_one(int* out, const int* in) {
  let_go();
  out[index()] = in[index()] + 1;
}

template <class... Args>
void launch(cudaStream_t stream, void (*kernel)(Args...), Args... args) {
  cudaLaunchAttribute programmatic{};
  programmatic.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  programmatic.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(host::grid);
  config.blockDim = dim3(host::block);
  config.stream = stream;
  config.attrs = &programmatic;
  config.numAttrs = 1;
  host::check(cudaLaunchKernelEx(&config, kernel, args...));
}

}  // namespace chain
