// The epilogue of a contraction: accumulators through the tree and on to a D whose rows and columns
// are hierarchical modes. Which way they go is known at the launch.
#pragma once

#include "tile/arch/tma_5d.cuh"
#include "tile/collective/epilogue/folded_output.hpp"
#include "tile/collective/epilogue/store_epilogue.cuh"

namespace aisp::tile {

template <GemmConfig config, EpilogueNode Tree>
class StoreEpilogue<config, Tree, FoldedOutput> {
 public:
  struct Params {
    typename Tree::Params tree{};
    FoldedOutput out{};
  };
  using Value = typename Accumulators<config>::Value;
  using Shared = StagingBuffers<config>;
  static_assert(config.store == Store::tma && config.out_major == Major::k &&
                bytes_of(config.out) == 2 && config.tile_m <= 128);

  TILE_DEVICE StoreEpilogue(Shared& shared, const Params& params, int warpgroup)
      : params_(params),
        buffers_(shared.subtiles[warpgroup * 4 + arch::warp_uniform(warp_row()) / 16][0]) {}

  // The accumulators of `tile`'s rows from `first_row` on.
  TILE_DEVICE void store(const Accumulators<config>& accumulators, const BlockTile& tile,
                         int first_row) {
    const FoldedOutput& out = params_.out;
    FoldedTile at;
    out.rows.split(tile.row / config.tile_m, at.at + FoldedTile::first);
    out.columns.split(tile.column / config.tile_n, at.at + FoldedTile::second);
    out.batch.split(tile.batch, at.at + FoldedTile::batch);
#pragma unroll
    for (int m = 0; m < Accumulators<config>::m_atoms; ++m) {
      AtomAccumulators of_atom = accumulators.of[m];  // (4, BLK_N / 8)
      const int row = first_row + m * 64;
      switch (out.store.subtile) {
        case FoldedSubtile::wide:
          store_rows<FoldedSubtile::wide>(of_atom, at, row);
          break;
        case FoldedSubtile::narrow:
          store_rows<FoldedSubtile::narrow>(of_atom, at, row);
          break;
        case FoldedSubtile::f32:
          store_rows<FoldedSubtile::f32>(of_atom, at, row);
      }
    }
  }

  // After the last tile: the staging may not vanish before TMA has read it.
  TILE_DEVICE void finish() {
    if (arch::elect_one()) arch::bulk_wait_read<0>();
    Tree::finish(params_.tree, state_);
  }

 private:
  using AtomAccumulators = const Value (&)[config.tile_n / 2];  // (4, BLK_N / 8)

  // Nodes of the tree know no place: what a row of the product is in D they could not say.
  TILE_DEVICE auto visit(AtomAccumulators accumulators, int fragment) {
    const Value* at = accumulators + fragment * 4;  // (4)
    return Tree::visit(params_.tree, state_,
                       EpilogueFragment<Value>{{{at[0], at[1]}, {at[2], at[3]}}}, {}, {});
  }

  TILE_DEVICE static constexpr OperandTile subtile_of(FoldedSubtile subtile) {
    const Element element = subtile == FoldedSubtile::f32 ? Element::f32 : config.out;
    const int columns = columns_of(subtile);
    return {element, Major::k, 16, columns, widest_swizzle(columns * bytes_of(element))};
  }

  // The warp's 16 of the tile's rows from `row` on, a subtile after the other.
  template <FoldedSubtile kind>
  TILE_DEVICE void store_rows(AtomAccumulators accumulators, const FoldedTile& at, int row) {
    constexpr OperandTile subtile = subtile_of(kind);
    const FoldedOutput& out = params_.out;
    const int first_row = row + arch::warp_uniform(warp_row());
    arch::BoxCorner corner;
#pragma unroll
    for (int d = 0; d < 5; ++d)
      corner.at[d] = out.corner.start(at, d) + out.row_group[first_row / 16][d];
#pragma unroll
    for (int first = 0; first < config.tile_n; first += subtile.k) {
      char* const stage = acquire();  // (SUBTILE_M, SUBTILE_N)
      if constexpr (kind == FoldedSubtile::f32) {
#pragma unroll
        for (int column = 0; column < subtile.k; column += 8)
          stage_fragment<subtile>(stage, visit(accumulators, (first + column) / 8), column);
      } else {
#pragma unroll
        for (int column = 0; column < subtile.k; column += 16)
          stage_stmatrix<subtile>(stage, visit(accumulators, (first + column) / 8),
                                  visit(accumulators, (first + column) / 8 + 1), column);
      }
      if (out.store.by_tma)
        send(stage, corner, out.subtile[first / subtile.k]);
      else
        copy<subtile>(stage, at, first_row, first);
    }
  }

  TILE_DEVICE void send(const char* stage, arch::BoxCorner corner, const int (&step)[5]) {
    arch::fence_async_shared();
    __syncwarp();
    if (!arch::elect_one()) return;
#pragma unroll
    for (int d = 0; d < 5; ++d) corner.at[d] += step[d];
    arch::tma_store(&params_.out.map, stage, corner);
    arch::bulk_commit();
  }
  // A lane has the same columns of all rows.
  template <OperandTile subtile>
  TILE_DEVICE void copy(const char* stage, const FoldedTile& at, int row, int column) {
    using One = Code<subtile.element>;
    const FoldedOutput& out = params_.out;
    One* const data = static_cast<One*>(out.data) + out.product_offset(at.at + FoldedTile::batch);
    std::int64_t across[subtile.k / 32];
#pragma unroll
    for (int i = 0; i < subtile.k / 32; ++i)
      across[i] = out.across.offset(at.at + FoldedTile::second, column + 32 * i + lane());
    __syncwarp();
#pragma unroll 1
    for (int r = 0; r < subtile.rows; ++r) {
      const std::int64_t along = out.along.offset(at.at + FoldedTile::first, row + r);
#pragma unroll
      for (int i = 0; i < subtile.k / 32; ++i)
        if (along >= 0 && across[i] >= 0)
          data[along + across[i]] =
              *reinterpret_cast<const One*>(stage + operand_offset<subtile>(r, 32 * i + lane()));
    }
  }
  // A buffer that TMA has read.
  TILE_DEVICE char* acquire() {
    if (arch::elect_one()) arch::bulk_wait_read<config.out_buffers - 1>();
    __syncwarp();
    char* const stage = buffers_ + next_ * config.subtile(0).bytes();
    next_ = next_ + 1 == config.out_buffers ? 0 : next_ + 1;
    return stage;
  }

  const Params& params_;
  typename Tree::State state_{};
  char* buffers_;  // (SUBTILE_M, SUBTILE_N, STAGES)
  int next_ = 0;
};

}  // namespace aisp::tile
