// Which device this process runs on, in the words that a tuned file is found by.
#pragma once

#include <cuda_runtime_api.h>

#include "base/refuse.hpp"
#include "tile/device/gemm/tuned.hpp"
#include "tile/device/launch/machine.hpp"

namespace aisp::tile::device {

// The current device of the CUDA runtime. Refuses (Exit::environment) where there is none.
inline TunedDevice tuned_device() {
  int ordinal = 0;
  cudaDeviceProp properties{};
  TunedDevice device;
  cudaError_t error = cudaGetDevice(&ordinal);
  if (error == cudaSuccess) error = cudaGetDeviceProperties(&properties, ordinal);
  if (error == cudaSuccess) error = cudaDriverGetVersion(&device.driver);
  if (error != cudaSuccess)
    base::refuse(base::Exit::environment,
                 "no CUDA device to ask for its name: ", cudaGetErrorString(error));
  device.name = properties.name;
  device.multiprocessors = machine_of(ordinal).multiprocessors;
  return device;
}

}  // namespace aisp::tile::device
