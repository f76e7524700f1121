// The block's tiles by cp.async: every thread copies 16 bytes at a time and waits for its own
// copies; the barrier of the block tells it about the others'.
#pragma once

#include "chapters/ch10/double_buffered_pipeline/matmul_tile.cuh"
#include "tile/arch/cp_async.cuh"
#include "tile/tiled/tiled_copy.cuh"

namespace aisp::ch10 {

class AsyncCopies {
 public:
  __device__ AsyncCopies(const MatmulArgs& args, Corner corner)
      : a_({args.a, args.k, 0, args.m, args.k}, corner.row, 0, 0),
        b_({args.b, args.n, 0, args.n, args.k}, corner.column, 0, 0) {}

  // The next tiles of both operands, as one group of copies.
  __device__ void start(TileBuffer& to) {
    a_.copy(to.a);
    b_.copy(to.b);
    tile::arch::cp_async_commit();
  }
  // All of this thread's copies have landed.
  static __device__ void wait() { tile::arch::cp_async_wait<0>(); }

 private:
  tile::TiledCopy<a_tile, threads> a_;
  tile::TiledCopy<b_tile, threads> b_;
};

// Runs a kernel with one block per tile and `buffers` of them in its shared memory.
template <int buffers>
lab::Run block_per_tile(void (*kernel)(MatmulArgs), const char* name) {
  allow_shared_memory<buffers>(kernel, name);
  return [kernel, name](const lab::Launch& launch) {
    const MatmulArgs args = matmul_args(launch);
    kernel<<<blocks_of(args), threads, shared_bytes<buffers>, launch.stream>>>(args);
    lab::check_cuda(cudaGetLastError(), name);
  };
}

}  // namespace aisp::ch10
