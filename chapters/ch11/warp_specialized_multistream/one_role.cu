// Rung 0: one stream, one role. A launch per batch; its blocks stay and walk over the tiles, and
// all warps of a block load a tile, multiply it and store it.
#include <algorithm>

#include "chapters/ch11/common/tile_transform.cuh"
#include "chapters/ch11/warp_specialized_multistream/batches.hpp"
#include "lab/case/range.hpp"
#include "lab/case/registry.hpp"
#include "tile/arch/cp_async.cuh"

using namespace aisp;

namespace aisp::ch11 {

inline constexpr int one_role_threads = 32 * math_warps<batch_tile_rows>;

struct OneRoleShared {
  SharedMatrix<batch_tile_rows, batch_tile_rows> left;
  SharedMatrix<tile_columns, tile_columns> right;
  SharedTile<batch_tile_rows> tile;
};

struct OneRoleArgs {
  const std::uint16_t *x, *left, *right;
  std::uint16_t* y;
  int tiles;
};

}  // namespace aisp::ch11

extern "C" __global__ void __launch_bounds__(ch11::one_role_threads)
    tile_transform_one_role(const __grid_constant__ ch11::OneRoleArgs args) {
  using namespace ch11;
  constexpr int elements = batch_tile_rows * tile_columns;
  auto& shared = in_shared_memory<OneRoleShared>();
  fetch<one_role_threads>(shared.left, args.left);
  fetch<one_role_threads>(shared.right, args.right);
  for (int tile = static_cast<int>(blockIdx.x); tile < args.tiles;
       tile += static_cast<int>(gridDim.x)) {
    fetch<one_role_threads>(shared.tile, args.x + std::int64_t{tile} * elements);
    tile::arch::cp_async_commit();
    tile::arch::cp_async_wait<0>();
    __syncthreads();
    multiply_from_left(shared.left, shared.tile, 0);
    meet_pair();
    multiply_from_right(shared.tile, shared.right);
    __syncthreads();
    store<one_role_threads>(shared.tile, args.y + std::int64_t{tile} * elements);
    __syncthreads();
  }
}

namespace {

using namespace ch11;

lab::Run prepare(lab::Setup& setup) {
  constexpr int bytes = shared_bytes<OneRoleShared>;
  lab::check_cuda(cudaFuncSetAttribute(tile_transform_one_role,
                                       cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                  "shared memory of tile_transform_one_role");
  const int most = setup.multiprocessors();
  const auto batches = batches_of(setup.problem());
  return [=](const lab::Launch& launch) {
    constexpr std::int64_t elements = batch_tile_rows * tile_columns;
    for (const Batch& batch : batches) {
      const lab::Range range("batch");
      const OneRoleArgs args{launch.in<std::uint16_t>(0) + batch.first * elements,
                             launch.in<std::uint16_t>(1), launch.in<std::uint16_t>(2),
                             launch.out<std::uint16_t>(0) + batch.first * elements, batch.count};
      tile_transform_one_role<<<std::min(batch.count, most), one_role_threads, bytes,
                                launch.stream>>>(args);
      lab::check_cuda(cudaGetLastError(), "tile_transform_one_role");
    }
  };
}

const lab::RungEntry entry{"ch11:warp_specialized_multistream",
                           {.name = "one_role",
                            .step = 0,
                            .builds_on = "",
                            .idea = "all warps load, multiply and store, a launch per batch",
                            .look_at = "the matrix unit waits while a tile is on its way",
                            .prepare = prepare}};

}  // namespace
