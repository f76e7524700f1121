// Subtiles of the output on their way from registers through swizzled shared memory to TMA. A group
// of threads (a warp, or a warpgroup where the output is stored transposed) has its own buffers:
// while TMA reads one, the group fills the next.
#pragma once

#include "tile/arch/barrier.cuh"
#include "tile/arch/stmatrix.cuh"
#include "tile/arch/tma.cuh"
#include "tile/arch/warp.cuh"
#include "tile/atom/convert.hpp"
#include "tile/collective/epilogue/staging_layout.hpp"
#include "tile/collective/epilogue/tree.hpp"
#include "tile/collective/gemm_rules_sm90.hpp"

namespace aisp::tile {

TILE_DEVICE int lane() { return static_cast<int>(threadIdx.x) % 32; }
// The first of the 16 rows of a warpgroup's 64 whose accumulators this warp holds.
TILE_DEVICE int warp_row() { return static_cast<int>(threadIdx.x) / 32 % 4 * 16; }

template <Sm90Config config>
struct Sm90StagingBuffers {
  static_assert(admitted<config>);
  static constexpr int groups = config.math_warpgroups * 64 / config.subtile_rows();
  // (SUBTILE_M, SUBTILE_N, STAGES, GROUPS)
  alignas(1024) char subtiles[groups][config.out_buffers][config.subtile(0).bytes()];
};
struct NoStaging {};

// The first row of this warp in a subtile: of its own, or of the warpgroup's.
template <OperandTile subtile>
TILE_DEVICE int subtile_row() {
  return subtile.rows == 64 ? warp_row() : 0;
}

// 16-bit elements, 16 rows and 16 columns from `column` on: four 8x8 matrices, rows 0-7 and 8-15 of
// the left columns, then of the right ones.
template <OperandTile subtile, class V>
TILE_DEVICE void stage_stmatrix(char* stage, const EpilogueFragment<V>& left,
                                const EpilogueFragment<V>& right, int column) {
  const auto encode = [](const V(&pair)[2]) {
    return encode_pair<subtile.element>(pair[0], pair[1]);
  };
  const std::uint32_t codes[4]{encode(left.at[0]), encode(left.at[1]), encode(right.at[0]),
                               encode(right.at[1])};  // (2, 2): rows, columns of 8
  // Opaque: else the addresses of all subtiles are kept, and spilled, from tile to tile.
  const int now = arch::opaque(lane()), row = subtile_row<subtile>();
  __builtin_assume(now >= 0 && now < 32);
  char* const to = stage + stmatrix_offset<subtile>(now, row, column);
  if constexpr (subtile.major == Major::k)
    arch::stmatrix_x4(to, codes);
  else
    arch::stmatrix_x4_trans(to, codes);
}

// Any element, one fragment of 8 columns from `column` on.
template <OperandTile subtile, class V>
TILE_DEVICE void stage_fragment(char* stage, const EpilogueFragment<V>& values, int column) {
  using One = Code<subtile.element>;
  using Two = PairCode<subtile.element>;
  const int now = arch::opaque(lane());  // as above
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = subtile_row<subtile>();
    const Two codes = encode_pair<subtile.element>(values.at[half][0], values.at[half][1]);
    if constexpr (subtile.major == Major::k) {
      *reinterpret_cast<Two*>(stage + fragment_offset<subtile>(now, 2 * half, row, column)) = codes;
    } else {
      *reinterpret_cast<One*>(stage + fragment_offset<subtile>(now, 2 * half, row, column)) =
          static_cast<One>(codes);
      *reinterpret_cast<One*>(stage + fragment_offset<subtile>(now, 2 * half + 1, row, column)) =
          static_cast<One>(codes >> 8 * bytes_of(subtile.element));
    }
  }
}

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

  // One thread of the group, always the same: it counts the stores that are under way. Of a warp it
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
