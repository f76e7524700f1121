// Subtiles of the output on their way from a math warpgroup through swizzled shared memory to TMA.
// A group of threads (a warp, or the warpgroup where the output is stored transposed) has its own
// buffers: while TMA reads one, the group fills the next.
#pragma once

#include "tile/arch/barrier.cuh"
#include "tile/arch/tma.cuh"
#include "tile/collective/epilogue/staging.cuh"
#include "tile/collective/gemm_rules_sm90.hpp"

namespace aisp::tile {

template <Sm90Config config>
struct Sm90StagingBuffers {
  static_assert(admitted<config>);
  static constexpr int groups = config.math_warpgroups * 64 / config.subtile_rows();
  // (SUBTILE_M, SUBTILE_N, STAGES, GROUPS)
  alignas(1024) char subtiles[groups][config.out_buffers][config.subtile(0).bytes()];
};
template <Sm90Config config>
class Staging {
 public:
  TILE_DEVICE Staging(Sm90StagingBuffers<config>& shared, int warpgroup)
      : warpgroup_(warpgroup), row_(by_warp ? arch::warp_uniform(warp_row()) : 0) {
    const int group = by_warp ? warpgroup * 4 + row_ / 16 : warpgroup;
    buffers_ = shared.subtiles[group][0];  // (SUBTILE_M, SUBTILE_N, STAGES)
  }
  TILE_DEVICE Staging(NoStaging&, int) {}

  // A buffer that TMA has read.
  TILE_DEVICE char* acquire() {
    if (speaks()) arch::bulk_wait_read<config.out_buffers - 1>();
    meet();
    char* stage = buffers_ + next_ * config.subtile(0).bytes();  // (SUBTILE_M, SUBTILE_N)
    next_ = next_ + 1 == config.out_buffers ? 0 : next_ + 1;
    return stage;
  }

  // `corner` is that of the warpgroup's 64 rows.
  template <OperandTile subtile>
  TILE_DEVICE void send(const char* stage, const CUtensorMap* map, OutputCoord corner, int depth) {
    arch::fence_async_shared();
    meet();
    if (!speaks()) return;
    const int row = corner.row + row_;
#pragma unroll
    for (int panel = 0; panel < subtile.panels(); ++panel) {
      const int across = panel * subtile.panel_width();
      arch::tma_store(map, stage + line_start<subtile>(0, panel),
                      subtile.major == Major::k ? corner.column + across : row + across,
                      subtile.major == Major::k ? row : corner.column, depth);
    }
    arch::bulk_commit();
  }

  TILE_DEVICE void drain() {
    if (config.store == Store::tma && speaks()) arch::bulk_wait_read<0>();
  }

 private:
  static constexpr bool by_warp = config.subtile_rows() == 16;

  // One thread of the group, always the same: it counts the stores that are in flight. Of a warp it
  // is elected, so that the compiler knows that one thread runs.
  TILE_DEVICE static bool speaks() {
    if constexpr (by_warp) return arch::elect_one();
    return threadIdx.x % 128 == 0;
  }
  TILE_DEVICE void meet() const {
    if constexpr (by_warp)
      __syncwarp();
    else
      arch::barrier_sync(warpgroup_ + 1, 128);
  }

  char* buffers_ = nullptr;
  int warpgroup_ = 0, row_ = 0, next_ = 0;
};

}  // namespace aisp::tile
