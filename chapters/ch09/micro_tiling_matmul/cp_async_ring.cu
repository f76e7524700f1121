// Rung 3: cp.async fills a ring of shared-memory stages while the previous ones are multiplied, so
// that no warp waits for global memory; fragments are double-buffered in registers.
#include "chapters/ch09/micro_tiling_matmul/launch.cuh"
#include "chapters/ch09/micro_tiling_matmul/pipelined_matmul.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

// The fastest of the table that tools/tune_sgemm.cu prints.
constexpr ch09::MicroTileConfig config{
    .tile_m = 128, .tile_n = 256, .tile_k = 8, .warps_m = 4, .warps_n = 2, .stages = 4};

__global__ void __launch_bounds__(config.threads(), config.blocks_per_sm)
    matmul_cp_async_ring(const __grid_constant__ ch09::MatmulArgs args) {
  ch09::pipelined_matmul<config>(args);
}

lab::Run prepare(lab::Setup&) {
  return ch09::ring_run<config>(matmul_cp_async_ring, "matmul_cp_async_ring");
}

const lab::RungEntry entry{"ch09:micro_tiling_matmul",
                           {.name = "cp_async_ring",
                            .step = 3,
                            .builds_on = "micro_tiles",
                            .idea = "cp.async fills the next stages while this one is multiplied",
                            .look_at = "no long-scoreboard stalls; FFMA issue near its ceiling",
                            .prepare = prepare}};

}  // namespace
