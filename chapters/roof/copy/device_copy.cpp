// The driver's own copy: what every kernel that only moves bytes is measured against.
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

void run(const lab::Launch& launch) {
  const auto bytes = static_cast<std::size_t>(launch.problem.inputs.at(0).bytes());
  lab::check_cuda(cudaMemcpyAsync(launch.out<void>(0), launch.in<void>(0), bytes,
                                  cudaMemcpyDeviceToDevice, launch.stream),
                  "cudaMemcpyAsync");
}

const lab::RungEntry entry{"roof:copy",
                           {.name = "device_copy",
                            .step = 0,
                            .builds_on = "",
                            .idea = "cudaMemcpyAsync from device to device",
                            .look_at = "bytes read plus bytes written per second",
                            .prepare = lab::plain(run)}};

}  // namespace
