// Load, synchronise, compute: the arithmetic waits for the whole tile, and the next tile's loads
// wait for the arithmetic.
#include "chapters/ch09/two_stage_pipeline/launch.hpp"
#include "chapters/ch09/two_stage_pipeline/stencil.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(ch09::stencil_threads, 1)
    stencil_load_sync_compute(const float* __restrict__ x, float* __restrict__ y,
                              std::int64_t count, std::int64_t tiles) {
  extern __shared__ ch09::TileBuffer x_smem[];
  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    ch09::for_tile_vectors(tile, [&](int vector, std::int64_t first) {
      x_smem->at[vector] = ch09::bytes_inside(first, count) == 16
                               ? __ldg(reinterpret_cast<const float4*>(x + first))
                               : ch09::cut_vector(x, first, count);
    });
    __syncthreads();  // the tile has landed
    ch09::compute_tile(*x_smem, tile, y, count);
    __syncthreads();  // every thread is done with the tile
  }
}

namespace {

const lab::RungEntry entry{"ch09:two_stage_pipeline",
                           {.name = "load_sync_compute",
                            .step = 0,
                            .builds_on = "",
                            .idea = "fetch a tile through registers, wait, compute",
                            .look_at = "warps stall on loads, then the memory system idles",
                            .needs = lab::Needs::sm_80,
                            .peer = false,
                            .variants = {},
                            .prepare = [](lab::Setup& setup) {
                              return ch09::stencil_run(setup, stencil_load_sync_compute,
                                                       sizeof(ch09::TileBuffer),
                                                       "two_stage_pipeline load_sync_compute");
                            }}};

}  // namespace
