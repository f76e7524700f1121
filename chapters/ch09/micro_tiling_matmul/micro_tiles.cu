// Rung 2: each thread owns 8x8 elements of C in registers. Per k it reads 16 floats from shared
// memory for 64 multiply-adds instead of two for one; tiles grow to 128x64.
#include "chapters/ch09/micro_tiling_matmul/launch.cuh"
#include "chapters/ch09/micro_tiling_matmul/register_matmul.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

constexpr ch09::MicroTileConfig config = ch09::eight_by_eight;

__global__ void __launch_bounds__(config.threads(), config.blocks_per_sm)
    matmul_micro_tiles(const __grid_constant__ ch09::TypedMatmulArgs<float, float> args) {
  ch09::register_matmul<config, false>(args);
}

void run(const lab::Launch& launch) {
  const auto [a, b, c, m, n, k] = ch09::matmul_args(launch);
  const int blocks = ch09::ceil_div(m, config.tile_m) * ch09::ceil_div(n, config.tile_n);
  matmul_micro_tiles<<<blocks, config.threads(), 0, launch.stream>>>({a, b, c, m, n, k});
  lab::check_cuda(cudaGetLastError(), "matmul_micro_tiles");
}

const lab::RungEntry entry{"ch09:micro_tiling_matmul",
                           {.name = "micro_tiles",
                            .step = 2,
                            .builds_on = "shared_tile",
                            .idea = "8x8 elements of C per thread, in registers",
                            .look_at = "64 FFMA per 4 LDS.128; no bank conflicts",
                            .prepare = lab::plain(run)}};

}  // namespace
