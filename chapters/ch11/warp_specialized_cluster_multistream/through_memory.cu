// Rung 0: a kernel for each stage, the first over all tiles and then the second. Between them every
// tile goes to global memory and comes back.
#include <algorithm>

#include "chapters/ch11/common/tile_transform.cuh"
#include "chapters/ch11/warp_specialized_cluster_multistream/stages.hpp"
#include "lab/case/range.hpp"
#include "lab/case/registry.hpp"
#include "tile/arch/cp_async.cuh"

using namespace aisp;

namespace aisp::ch11 {

inline constexpr int stage_threads = 32 * math_warps<stage_tile_rows>;
inline constexpr int stage_elements = stage_tile_rows * tile_columns;

struct StageShared {
  SharedMatrix<stage_tile_rows, stage_tile_rows> matrix;
  SharedTile<stage_tile_rows> tile;
};
static_assert(stage_tile_rows == tile_columns, "one shape of matrix for both stages");

// Blocks stay and walk over the tiles: their matrix is loaded once.
template <bool from_left>
TILE_DEVICE void run_stage(const std::uint16_t* from, const std::uint16_t* matrix,
                           std::uint16_t* to, int tiles) {
  auto& shared = in_shared_memory<StageShared>();
  fetch<stage_threads>(shared.matrix, matrix);
  for (int tile = static_cast<int>(blockIdx.x); tile < tiles; tile += static_cast<int>(gridDim.x)) {
    fetch<stage_threads>(shared.tile, from + std::int64_t{tile} * stage_elements);
    tile::arch::cp_async_commit();
    tile::arch::cp_async_wait<0>();
    __syncthreads();
    if constexpr (from_left)
      multiply_from_left(shared.matrix, shared.tile, 0);
    else
      multiply_from_right(shared.tile, shared.matrix);
    __syncthreads();
    store<stage_threads>(shared.tile, to + std::int64_t{tile} * stage_elements);
    __syncthreads();
  }
}

}  // namespace aisp::ch11

extern "C" __global__ void __launch_bounds__(ch11::stage_threads, 2)
    tile_stage_left(const std::uint16_t* x, const std::uint16_t* left, std::uint16_t* between,
                    int tiles) {
  ch11::run_stage<true>(x, left, between, tiles);
}

extern "C" __global__ void __launch_bounds__(ch11::stage_threads, 2)
    tile_stage_right(const std::uint16_t* between, const std::uint16_t* right, std::uint16_t* y,
                     int tiles) {
  ch11::run_stage<false>(between, right, y, tiles);
}

namespace {

using namespace ch11;

using Stage = void (*)(const std::uint16_t* from, const std::uint16_t* matrix, std::uint16_t* to,
                       int tiles);

int blocks_of(lab::Setup& setup, Stage stage) {
  constexpr int bytes = shared_bytes<StageShared>;
  lab::check_cuda(cudaFuncSetAttribute(stage, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                  "shared memory of a stage");
  int resident = 0;
  lab::check_cuda(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, stage, stage_threads, bytes),
      "occupancy of a stage");
  const auto tiles = static_cast<int>(setup.problem().size.dims.at(0));
  return std::min(resident * setup.multiprocessors(), tiles);
}

lab::Run prepare(lab::Setup& setup) {
  const int left_blocks = blocks_of(setup, tile_stage_left);
  const int right_blocks = blocks_of(setup, tile_stage_right);
  auto* between = static_cast<std::uint16_t*>(
      setup.scratch(static_cast<std::size_t>(setup.problem().inputs.at(0).bytes())));
  return [=](const lab::Launch& launch) {
    constexpr int bytes = shared_bytes<StageShared>;
    const auto tiles = static_cast<int>(launch.dim(0));
    {
      const lab::Range range("left");
      tile_stage_left<<<left_blocks, stage_threads, bytes, launch.stream>>>(
          launch.in<std::uint16_t>(0), launch.in<std::uint16_t>(1), between, tiles);
      lab::check_cuda(cudaGetLastError(), "tile_stage_left");
    }
    const lab::Range range("right");
    tile_stage_right<<<right_blocks, stage_threads, bytes, launch.stream>>>(
        between, launch.in<std::uint16_t>(2), launch.out<std::uint16_t>(0), tiles);
    lab::check_cuda(cudaGetLastError(), "tile_stage_right");
  };
}

const lab::RungEntry entry{"ch11:warp_specialized_cluster_multistream",
                           {.name = "through_memory",
                            .step = 0,
                            .builds_on = "",
                            .idea = "a kernel per stage, all tiles in global memory between them",
                            .look_at = "every tile is written and read once more than it must be",
                            .prepare = prepare}};

}  // namespace
