// Rung 1: two buffers. The copies of the next tile are under way while this one is multiplied; one
// barrier per tile is left, because a buffer is refilled a tile after it was read.
#include "chapters/ch10/double_buffered_pipeline/async_copies.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

__global__ void __launch_bounds__(ch10::threads)
    matmul_cp_async(const __grid_constant__ ch10::MatmulArgs args) {
  ch10::TileBuffer* buffers = ch10::buffers_in_shared();
  const ch10::Corner corner = ch10::block_corner(args);
  ch10::AsyncCopies copies(args, corner);
  ch10::MicroTile mine;
  copies.start(buffers[0]);
  for (int k = 0, now = 0; k < args.k; k += ch10::tile_k, now ^= 1) {
    copies.wait();
    __syncthreads();  // this tile has landed, and nobody reads the other buffer any more
    if (k + ch10::tile_k < args.k) copies.start(buffers[now ^ 1]);
    mine.multiply(buffers[now]);
  }
  mine.store(args, corner);
}

lab::Run prepare(lab::Setup&) {
  return ch10::block_per_tile<2>(matmul_cp_async, "matmul_cp_async");
}

const lab::RungEntry entry{"ch10:double_buffered_pipeline",
                           {.name = "cp_async_two_buffers",
                            .step = 1,
                            .builds_on = "one_buffer",
                            .idea = "two buffers: cp.async brings the next tile under the products",
                            .look_at = "12 copies and their addresses per thread and tile",
                            .prepare = prepare}};

}  // namespace
