// Two stages: while the block computes one tile, the copies of the next are under way. Every
// thread is producer of the next tile and consumer of this one.
#include "chapters/ch09/two_stage_pipeline/async_copy.cuh"
#include "chapters/ch09/two_stage_pipeline/launch.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(ch09::stencil_threads, 1)
    stencil_two_stages(const float* __restrict__ x, float* __restrict__ y, std::int64_t count,
                       std::int64_t tiles) {
  extern __shared__ ch09::TileBuffer x_smem[];  // two of them
  int stage = 0;
  ch09::start_tile(x_smem[stage], x, blockIdx.x, tiles, count);
  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x, stage ^= 1) {
    ch09::start_tile(x_smem[stage ^ 1], x, tile + gridDim.x, tiles, count);
    __pipeline_wait_prior(1);
    __syncthreads();  // every thread's part of this tile has landed
    ch09::compute_tile(x_smem[stage], tile, y, count);
    __syncthreads();  // every thread is done with the stage that is filled next
  }
}

namespace {

const lab::RungEntry entry{
    "ch09:two_stage_pipeline",
    {.name = "two_stages",
     .step = 2,
     .builds_on = "async_one_stage",
     .idea = "a second buffer: the next tile travels while this one is computed",
     .look_at = "the copy of tile n+1 is started before the wait for tile n",
     .needs = lab::Needs::sm_80,
     .peer = false,
     .variants = {},
     .prepare = [](lab::Setup& setup) {
       return ch09::stencil_run(setup, stencil_two_stages, 2 * sizeof(ch09::TileBuffer),
                                "two_stage_pipeline two_stages");
     }}};

}  // namespace
