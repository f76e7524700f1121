// Rung 1: a warp of couriers beside those that multiply. One of its threads has tiles brought by
// TMA and taken away from where they were multiplied; the others only multiply. Two slots: one tile
// is multiplied while the one before leaves and the next one comes.
#include "chapters/ch11/warp_specialized_multistream/roles.hpp"

#include "chapters/ch11/common/tile_copies.cuh"
#include "lab/case/range.hpp"
#include "lab/case/registry.hpp"
#include "tile/arch/warp.cuh"
#include "tile/pipeline/ring_state.hpp"

using namespace aisp;

namespace aisp::ch11 {

inline constexpr int roles_slots = 2;
inline constexpr int roles_math_warps = math_warps<batch_tile_rows>;
inline constexpr int roles_threads = 32 * (roles_math_warps + 1);
inline constexpr int roles_barrier = 8;  // where all that multiply meet

using RolesState = tile::RingState<roles_slots>;

struct RolesShared {
  SharedMatrix<batch_tile_rows, batch_tile_rows> left;
  SharedMatrix<tile_columns, tile_columns> right;
  SharedTile<batch_tile_rows> tile[roles_slots];
  tile::arch::MBarrier matrices, full[roles_slots], done[roles_slots];
};

// Which tiles of a batch the block takes: those from its own number on, `stride` apart.
struct BlockTiles {
  int first, stride, count;
};
TILE_DEVICE BlockTiles tiles_of_block(Batch batch) {
  const int block = static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x);
  return {batch.first + block, blocks, (batch.count - block + blocks - 1) / blocks};
}

// One thread.
TILE_DEVICE void carry_tiles(RolesShared& shared, const TransformMaps& maps, BlockTiles tiles) {
  using namespace tile::arch;
  mbarrier_arrive_expect(&shared.matrices, shared.left.bytes + shared.right.bytes);
  bring(shared.left, maps.left, 0, &shared.matrices);
  bring(shared.right, maps.right, 0, &shared.matrices);
  const auto ask = [&](int number, int slot) {
    mbarrier_arrive_expect(&shared.full[slot], shared.tile[slot].bytes);
    bring(shared.tile[slot], maps.x, tiles.first + number * tiles.stride, &shared.full[slot]);
  };
  for (int slot = 0; slot < min(roles_slots, tiles.count); ++slot) ask(slot, slot);
  RolesState at = RolesState::reader();
  for (int number = 0; number < tiles.count; ++number, ++at) {
    mbarrier_wait(&shared.done[at.slot], at.phase);
    take_away(maps.y, shared.tile[at.slot], tiles.first + number * tiles.stride);
    bulk_wait_read<0>();
    if (number + roles_slots < tiles.count) ask(number + roles_slots, at.slot);
  }
}

TILE_DEVICE void multiply_tiles(RolesShared& shared, int count) {
  using namespace tile::arch;
  mbarrier_wait(&shared.matrices, 0);
  RolesState at = RolesState::reader();
  for (int number = 0; number < count; ++number, ++at) {
    mbarrier_wait(&shared.full[at.slot], at.phase);
    multiply_from_left(shared.left, shared.tile[at.slot], roles_barrier);
    meet_pair();
    multiply_from_right(shared.tile[at.slot], shared.right);
    hand_over(&shared.done[at.slot]);
  }
}

TILE_DEVICE void transform_with_roles(const TransformMaps& maps, Batch batch) {
  auto& shared = in_shared_memory<RolesShared>();
  if (threadIdx.x == 0) {
    tile::arch::mbarrier_init(&shared.matrices, 1);
    for (int slot = 0; slot < roles_slots; ++slot) {
      tile::arch::mbarrier_init(&shared.full[slot], 1);
      tile::arch::mbarrier_init(&shared.done[slot], roles_math_warps);
    }
    tile::arch::fence_mbarrier_init();
  }
  __syncthreads();
  const BlockTiles tiles = tiles_of_block(batch);
  if (tile::arch::warp_uniform(static_cast<int>(threadIdx.x) / 32) < roles_math_warps)
    multiply_tiles(shared, tiles.count);
  else if (tile::arch::elect_one())
    carry_tiles(shared, maps, tiles);
}

}  // namespace aisp::ch11

extern "C" __global__ void __launch_bounds__(ch11::roles_threads)
    tile_transform_roles(const __grid_constant__ ch11::TransformMaps maps, ch11::Batch batch) {
  if constexpr (tile::arch::has_bulk_copies)
    ch11::transform_with_roles(maps, batch);
  else
    __trap();
}

namespace aisp::ch11 {

void launch_roles(const TransformMaps& maps, const Batch& batch, int blocks, cudaStream_t stream) {
  const lab::Range range("batch");
  tile_transform_roles<<<std::min(batch.count, blocks), roles_threads, shared_bytes<RolesShared>,
                         stream>>>(maps, batch);
  lab::check_cuda(cudaGetLastError(), "tile_transform_roles");
}

lab::Run run_roles(const EnqueueTransform& enqueue) {
  lab::check_cuda(
      cudaFuncSetAttribute(tile_transform_roles, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           shared_bytes<RolesShared>),
      "shared memory of tile_transform_roles");
  return run_on_maps(enqueue, batch_tile_rows);
}

}  // namespace aisp::ch11

namespace {

lab::Run prepare(lab::Setup& setup) {
  return ch11::run_roles(
      [batches = ch11::batches_of(setup.problem()), blocks = setup.multiprocessors()](
          const ch11::TransformMaps& maps, cudaStream_t stream) {
        for (const ch11::Batch& batch : batches) ch11::launch_roles(maps, batch, blocks, stream);
      });
}

const lab::RungEntry entry{
    "ch11:warp_specialized_multistream",
    {.name = "roles",
     .step = 1,
     .builds_on = "one_role",
     .idea = "one warp brings and takes away tiles by bulk copies, the others only multiply",
     .look_at = "loads and stores under the products; still a gap between two batches",
     .needs = lab::Needs::sm_90,
     .prepare = prepare}};

}  // namespace
