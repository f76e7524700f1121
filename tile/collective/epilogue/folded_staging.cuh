// What the epilogues of contractions share on all architectures: a warp's 16 rows through staging
// of its own to a D whose rows and columns are hierarchical modes. Which way they go is known at
// the launch.
#pragma once

#include "tile/arch/tma_5d.cuh"
#include "tile/collective/epilogue/folded_output.hpp"
#include "tile/collective/epilogue/staging.cuh"

namespace aisp::tile {

// A tile of the GEMM, counted in tiles.
struct FoldedPlace {
  int row, column, batch;
};

// `out` is the element of D unless it is f32; the warp has `buffers` buffers.
template <Element out, int buffers>
class FoldedStaging {
 public:
  static_assert(bytes_of(out) == 2);
  static constexpr int buffer_bytes = 16 * 128;  // the widest subtile

  static TILE_FN OperandTile subtile_of(FoldedSubtile subtile) {
    const Element element = subtile == FoldedSubtile::f32 ? Element::f32 : out;
    const int columns = columns_of(subtile);
    return {element, Major::k, 16, columns, widest_swizzle(columns * bytes_of(element))};
  }

  TILE_DEVICE FoldedStaging(const FoldedOutput& output, char* first)
      : out_(output), buffers_(first) {}

  // Where the boxes of a tile start.
  TILE_DEVICE arch::BoxCorner corner_of(const FoldedPlace& at) const {
    arch::BoxCorner corner{};
    if (out_.store.by_tma) {
      out_.row_steps.move(corner.at, out_.rows, at.row);
      out_.column_steps.move(corner.at, out_.columns, at.column);
      out_.batch_steps.move(corner.at, out_.batch, at.batch);
    }
    return corner;
  }
  // ... those of its 16 rows from `row` on.
  TILE_DEVICE arch::BoxCorner corner_of_rows(arch::BoxCorner corner, int row) const {
#pragma unroll
    for (int d = 0; d < 5; ++d) corner.at[d] += out_.row_group[row / 16][d];
    return corner;
  }

  // One subtile of those rows in staging. `fragment(i)`: its 8 columns from 8 * i on.
  template <FoldedSubtile kind, class FragmentOf>
  TILE_DEVICE char* fill(const FragmentOf& fragment) {
    constexpr OperandTile subtile = subtile_of(kind);
    char* const stage = acquire();  // (SUBTILE_M, SUBTILE_N)
    if constexpr (kind == FoldedSubtile::f32) {
#pragma unroll
      for (int column = 0; column < subtile.k; column += 8)
        stage_fragment<subtile>(stage, fragment(column / 8), column);
    } else {
#pragma unroll
      for (int column = 0; column < subtile.k; column += 16)
        stage_stmatrix<subtile>(stage, fragment(column / 8), fragment(column / 8 + 1), column);
    }
    return stage;
  }

  // By TMA: the tile's subtile `number` of these rows.
  TILE_DEVICE void send(const char* stage, arch::BoxCorner corner, int number) {
    arch::fence_async_shared();
    __syncwarp();
    if (!arch::elect_one()) return;
#pragma unroll
    for (int d = 0; d < 5; ++d) corner.at[d] += out_.subtile[number][d];
    arch::tma_store(&out_.map, stage, corner);
    arch::bulk_commit();
  }
  // Element by element: the subtile at `row` and `column` of the tile. A lane has the same columns
  // of all rows.
  template <FoldedSubtile kind>
  TILE_DEVICE void copy(const char* stage, const FoldedPlace& at, int row, int column) {
    constexpr OperandTile subtile = subtile_of(kind);
    using One = Code<subtile.element>;
    One* const data = static_cast<One*>(out_.data) + out_.product_offset(at.batch);
    int tile_row[FoldedIndex::most] = {}, tile_column[FoldedIndex::most] = {};
    out_.rows.each(at.row, [&](int mode, int tile) { tile_row[mode] = tile; });
    out_.columns.each(at.column, [&](int mode, int tile) { tile_column[mode] = tile; });
    std::int64_t across[subtile.k / 32];
#pragma unroll
    for (int i = 0; i < subtile.k / 32; ++i)
      across[i] = out_.across.offset(tile_column, column + 32 * i + lane());
    __syncwarp();
#pragma unroll 1
    for (int r = 0; r < subtile.rows; ++r) {
      const std::int64_t along = out_.along.offset(tile_row, row + r);
#pragma unroll
      for (int i = 0; i < subtile.k / 32; ++i)
        if (along >= 0 && across[i] >= 0)
          data[along + across[i]] =
              *reinterpret_cast<const One*>(stage + operand_offset<subtile>(r, 32 * i + lane()));
    }
  }

  // After the last tile: the staging may not vanish before TMA has read it.
  TILE_DEVICE void drain() {
    if (arch::elect_one()) arch::bulk_wait_read<0>();
  }

 private:
  // A buffer that TMA has read.
  TILE_DEVICE char* acquire() {
    if (arch::elect_one()) arch::bulk_wait_read<buffers - 1>();
    __syncwarp();
    char* const stage = buffers_ + next_ * buffer_bytes;
    next_ = next_ + 1 == buffers ? 0 : next_ + 1;
    return stage;
  }

  const FoldedOutput& out_;
  char* buffers_;  // (SUBTILE_M, SUBTILE_N, STAGES)
  int next_ = 0;
};

}  // namespace aisp::tile
