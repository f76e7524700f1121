// The best own kernel for fp32: the cp.async ring of micro_tiling_matmul, with B as (n, k).
#include "chapters/ch09/cublaslt_gemm/micro_tiles.cuh"
#include "chapters/ch09/micro_tiling_matmul/launch.cuh"
#include "chapters/ch09/micro_tiling_matmul/pipelined_matmul.cuh"

using namespace aisp;

namespace {

constexpr ch09::MicroTileConfig config{.tile_m = 128,
                                       .tile_n = 256,
                                       .tile_k = 16,
                                       .warps_m = 4,
                                       .warps_n = 2,
                                       .stages = 3,
                                       .b_is_nk = true};

__global__ void __launch_bounds__(config.threads(), config.blocks_per_sm)
    gemm_cp_async_ring(const __grid_constant__ ch09::MatmulArgs args) {
  ch09::pipelined_matmul<config>(args);
}

}  // namespace

namespace aisp::ch09 {

lab::Run prepare_fp32() { return ring_run<config>(gemm_cp_async_ring, "gemm_cp_async_ring"); }

}  // namespace aisp::ch09
