// Rung 0: one buffer. The block copies a tile, waits for it, multiplies, and waits again before the
// next tile overwrites this one: either memory works or the FMA units do.
#include "chapters/ch10/double_buffered_pipeline/async_copies.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

__global__ void __launch_bounds__(ch10::threads)
    matmul_one_buffer(const __grid_constant__ ch10::MatmulArgs args) {
  ch10::TileBuffer& buffer = *ch10::buffers_in_shared();
  const ch10::Corner corner = ch10::block_corner(args);
  ch10::AsyncCopies copies(args, corner);
  ch10::MicroTile mine;
  for (int k = 0; k < args.k; k += ch10::tile_k) {
    copies.start(buffer);
    copies.wait();
    __syncthreads();  // the copies of all threads have landed
    mine.multiply(buffer);
    __syncthreads();  // nobody reads the tile any more
  }
  mine.store(args, corner);
}

lab::Run prepare(lab::Setup&) {
  return ch10::block_per_tile<1>(matmul_one_buffer, "matmul_one_buffer");
}

const lab::RungEntry entry{
    "ch10:double_buffered_pipeline",
    {.name = "one_buffer",
     .step = 0,
     .builds_on = "",
     .idea = "one buffer: load, wait, multiply, wait",
     .look_at = "barrier and scoreboard stalls; FMA pipe idle while it loads",
     .prepare = prepare}};

}  // namespace
