#include "chapters/ch10/tensor_contraction/permute.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch10::permute {
namespace {

constexpr int threads = 256, tile_vectors = 1024;

struct Tiles {
  int y = 1, z = 1, vectors = 1;  // extents; 16-byte vectors of a run
  int tile_y = 1, tile_z = 1;     // of a block: together up to tile_vectors
  int blocks_y = 1, blocks_z = 1;
};

// A block moves a tile of runs through shared memory: read along z and written along y, so that
// both sides touch stretches of memory as long as a tile is wide, however short a run is.
__global__ void __launch_bounds__(threads)
    swap_middle(const uint4* __restrict__ from, uint4* __restrict__ to, const Tiles t) {
  __shared__ uint4 tile[tile_vectors];  // (tile_y, tile_z, vectors)
  const int block_z = static_cast<int>(blockIdx.x) % t.blocks_z;
  const int rest = static_cast<int>(blockIdx.x) / t.blocks_z;
  const int first_y = rest % t.blocks_y * t.tile_y, first_z = block_z * t.tile_z;
  const std::int64_t outer = rest / t.blocks_y;
  const int line = t.tile_z * t.vectors, all = t.tile_y * line;
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < all; i += threads) {
    const int y = first_y + i / line, in_line = i % line;
    const std::int64_t row = outer * t.y + y;
    if (y < t.y && first_z * t.vectors + in_line < t.z * t.vectors)
      tile[i] = __ldg(from + (row * t.z + first_z) * t.vectors + in_line);
  }
  __syncthreads();
  const int column = t.tile_y * t.vectors;
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < all; i += threads) {
    const int z = i / column, in_column = i % column;
    const int y = in_column / t.vectors, vector = in_column % t.vectors;
    const std::int64_t row = outer * t.z + first_z + z;
    if (first_z + z < t.z && first_y + y < t.y)
      to[(row * t.y + first_y) * t.vectors + in_column] =
          tile[(y * t.tile_z + z) * t.vectors + vector];
  }
}

}  // namespace

void enqueue(const Shape& shape, const void* from, void* to, cudaStream_t stream) {
  const auto blocks = [](int extent, int of_block) { return (extent + of_block - 1) / of_block; };
  Tiles t{.y = static_cast<int>(shape.y),
          .z = static_cast<int>(shape.z),
          .vectors = static_cast<int>(shape.run / 8)};
  if (t.vectors > tile_vectors)
    base::refuse(base::Exit::usage, "permute: takes runs of up to ", 8 * tile_vectors,
                 " numbers: got ", shape.run);
  // Lines of at least 1 KiB on both sides, as square as they fit.
  t.tile_y = std::min(t.y, std::max(1, 64 / t.vectors));
  t.tile_z = std::min(t.z, tile_vectors / (t.tile_y * t.vectors));
  t.blocks_y = blocks(t.y, t.tile_y), t.blocks_z = blocks(t.z, t.tile_z);
  const auto grid = static_cast<unsigned>(shape.outer * t.blocks_y * t.blocks_z);
  swap_middle<<<grid, threads, 0, stream>>>(static_cast<const uint4*>(from),
                                            static_cast<uint4*>(to), t);
  lab::check_cuda(cudaGetLastError(), "swap_middle");
}

}  // namespace aisp::ch10::permute
