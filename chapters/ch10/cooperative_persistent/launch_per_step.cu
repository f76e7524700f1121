// A launch per step: the end of a kernel is what keeps the steps apart. Every step reads and writes
// the whole array, and pays for a launch and for filling and draining the machine.
#include "chapters/ch10/cooperative_persistent/launch.hpp"
#include "chapters/ch10/cooperative_persistent/smoothing.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(ch10::smooth_threads, 4)
    smoothing_step(const float4* from, float4* to, int vectors) {
  ch10::smooth_tile(from, to, static_cast<int>(blockIdx.x), vectors);
}

namespace {

using namespace ch10;

lab::Run prepare(lab::Setup& setup) {
  float4* spare = spare_array(setup);
  return [spare](const lab::Launch& launch) {
    const int vectors = vectors_of(launch.problem), steps = steps_of(launch.problem);
    const Arrays arrays{launch.in<float4>(0), spare, launch.out<float4>(0)};
    for (int step = 0; step < steps; ++step) {
      smoothing_step<<<static_cast<unsigned>(tiles_of(vectors)), smooth_threads, 0,
                       launch.stream>>>(arrays.from(step, steps), arrays.to(step, steps), vectors);
      lab::check_cuda(cudaGetLastError(), "cooperative_persistent launch_per_step");
    }
  };
}

const lab::RungEntry entry{"ch10:cooperative_persistent",
                           {.name = "launch_per_step",
                            .step = 0,
                            .builds_on = "",
                            .idea = "a kernel per step, 16-byte accesses",
                            .look_at = "as many launches as steps, and the gaps between them",
                            .needs = lab::Needs::sm_80,
                            .peer = false,
                            .variants = {},
                            .prepare = prepare}};

}  // namespace
