// The same order of events with cp.async: global memory to shared memory without a stop in
// registers. Still one buffer, so nothing overlaps.
#include "chapters/ch09/two_stage_pipeline/async_copy.cuh"
#include "chapters/ch09/two_stage_pipeline/launch.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(ch09::stencil_threads, 1)
    stencil_async_one_stage(const float* __restrict__ x, float* __restrict__ y, std::int64_t count,
                            std::int64_t tiles) {
  extern __shared__ ch09::TileBuffer x_smem[];
  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    ch09::start_tile(*x_smem, x, tile, tiles, count);
    __pipeline_wait_prior(0);
    __syncthreads();  // every thread's part of the tile has landed
    ch09::compute_tile(*x_smem, tile, y, count);
    __syncthreads();  // every thread is done with the tile
  }
}

namespace {

const lab::RungEntry entry{
    "ch09:two_stage_pipeline",
    {.name = "async_one_stage",
     .step = 1,
     .builds_on = "load_sync_compute",
     .idea = "cp.async instead of load and store; still waits for each tile",
     .look_at = "LDGSTS in the machine code; the wait moved, it did not shrink",
     .needs = lab::Needs::sm_80,
     .peer = false,
     .variants = {},
     .prepare = [](lab::Setup& setup) {
       return ch09::stencil_run(setup, stencil_async_one_stage, sizeof(ch09::TileBuffer),
                                "two_stage_pipeline async_one_stage");
     }}};

}  // namespace
