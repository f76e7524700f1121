// The launch of a kernel as data.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "sim/launch/launch.hpp"
#include "sim/machine/device_part.hpp"
#include "sim/runtime/state/cuda.hpp"

namespace aisp::sim {

struct Kernel;  // sim/runtime/module/module.hpp

struct KernelCall {
  Kernel* kernel = nullptr;
  LaunchConfig config;
  std::vector<std::byte> params;  // the packed constant bank: routine->param_bytes bytes
  std::vector<cudaLaunchAttribute> attributes;
  // cudaLaunchAttributeProgrammaticStreamSerialization: may start before the kernel ahead of it in
  // the stream has ended. The simulator may always run it afterwards, which is one legal order.
  bool programmatic = false;
  int multiprocessors = 1;                 // that it holds in simulated time
  std::shared_ptr<const DevicePart> part;  // of a green context; null: the whole device
};

}  // namespace aisp::sim
