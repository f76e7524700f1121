// Launches of the smoothing's kernels that stay on the device for all steps.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>

#include "base/refuse.hpp"
#include "chapters/ch10/cooperative_persistent/smoothing.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch10 {

inline int vectors_of(const lab::Problem& problem) {
  return static_cast<int>(problem.size.dims.at(0) / 4);
}
inline int steps_of(const lab::Problem& problem) {
  return static_cast<int>(problem.size.dims.at(1));
}
constexpr int tiles_of(int vectors) { return (vectors - 1) / tile_vectors + 1; }

inline int device_attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  lab::check_cuda(cudaGetDevice(&device), "which device");
  lab::check_cuda(cudaDeviceGetAttribute(&value, which, device), "device attribute");
  return value;
}

// Memory that is all 0 at the first launch. Each launch leaves it as the next one expects it.
template <class T>
T* zeroed(lab::Setup& setup, std::int64_t count = 1) {
  const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
  auto* memory = static_cast<T*>(setup.kept(bytes, "rounds are counted from launch to launch"));
  lab::check_cuda(cudaMemset(memory, 0, bytes), "kept = 0");
  // The fill is in the default stream, for which the rung's own does not wait.
  lab::check_cuda(cudaStreamSynchronize(nullptr), "kept = 0");
  return memory;
}

inline float4* spare_array(lab::Setup& setup) {
  return static_cast<float4*>(
      setup.scratch(static_cast<std::size_t>(setup.problem().outputs.at(0).tensor.bytes())));
}

// The most blocks of the kernel that the device holds at once. Blocks that wait for each other
// must all be there, so a device that holds none is refused.
inline int resident_blocks(lab::Setup& setup, const void* kernel, int smem_bytes,
                           const char* rung) {
  if (device_attribute(cudaDevAttrCooperativeLaunch) == 0)
    base::refuse(base::Exit::environment, "cooperative_persistent ", rung,
                 ": this device has no cooperative launches; use --rungs launch_per_step");
  const int most = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  if (smem_bytes > most)
    base::refuse(base::Exit::environment, "cooperative_persistent ", rung, ": a block needs ",
                 smem_bytes, " bytes of shared memory, this device has ", most,
                 "; use --rungs launch_per_step,one_launch");
  lab::check_cuda(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, smem_bytes),
      "shared memory of a kernel");
  int per_multiprocessor = 0;
  lab::check_cuda(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, smooth_threads,
                                                    static_cast<std::size_t>(smem_bytes)),
      "occupancy of a kernel");
  const int blocks = per_multiprocessor * setup.multiprocessors();
  if (blocks < 1)
    base::refuse(base::Exit::environment, "cooperative_persistent ", rung, ": no block of ",
                 smooth_threads, " threads and ", smem_bytes,
                 " bytes of shared memory fits a multiprocessor; use --rungs launch_per_step");
  return blocks;
}

template <class... Parameters, class... Arguments>
void launch_cooperative(void (*kernel)(Parameters...), int blocks, int smem_bytes,
                        cudaStream_t stream, const char* rung, Arguments... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments));
  void* pointers[] = {&arguments...};
  lab::check_cuda(cudaLaunchCooperativeKernel(
                      reinterpret_cast<const void*>(kernel), dim3(static_cast<unsigned>(blocks)),
                      dim3(smooth_threads), pointers, static_cast<std::size_t>(smem_bytes), stream),
                  rung);
}

}  // namespace aisp::ch10
