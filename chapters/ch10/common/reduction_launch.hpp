// Launches of the row sums: eight blocks per row, as clusters or not.
#pragma once

#include <cuda_runtime_api.h>

#include "chapters/ch10/common/reduction.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch10 {

inline int rows_of(const lab::Launch& launch) { return static_cast<int>(launch.dim(0)); }
inline int vectors_of(const lab::Launch& launch) { return static_cast<int>(launch.dim(1) / 4); }

// A float per block.
inline std::size_t part_bytes(const lab::Setup& setup) {
  return static_cast<std::size_t>(setup.problem().size.dims.at(0)) * reduction_parts *
         sizeof(float);
}

// False on a device that knows no clusters at all.
inline bool launches_clusters() {
  int device = 0, answer = 0;
  lab::check_cuda(cudaGetDevice(&device), "which device");
  lab::check_cuda(cudaDeviceGetAttribute(&answer, cudaDevAttrClusterLaunch, device),
                  "cluster launch");
  return answer != 0;
}

// `clusters`: the blocks of a row run at the same time, next to each other.
template <class... Parameters, class... Arguments>
void launch_rows(const lab::Launch& launch, void (*kernel)(Parameters...), bool clusters,
                 const char* name, Arguments... arguments) {
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = reduction_parts;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(rows_of(launch)) * reduction_parts);
  config.blockDim = dim3(reduction_threads);
  config.stream = launch.stream;
  config.attrs = &cluster;
  config.numAttrs = clusters ? 1 : 0;
  void* pointers[] = {&arguments...};
  static_assert(sizeof...(Parameters) == sizeof...(Arguments));
  lab::check_cuda(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), pointers),
                  name);
}

}  // namespace aisp::ch10
