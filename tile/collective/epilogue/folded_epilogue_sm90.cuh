// The epilogue of a contraction on Hopper: accumulators through the tree and on to a D whose rows
// and columns are hierarchical modes.
#pragma once

#include "tile/collective/epilogue/epilogue_sm90.cuh"
#include "tile/collective/epilogue/folded_staging.cuh"

namespace aisp::tile {

template <Sm90Config config, EpilogueNode Tree>
class Sm90Epilogue<config, Tree, FoldedOutput> {
 public:
  struct Params {
    typename Tree::Params tree{};
    FoldedOutput out{};
  };
  using Value = typename Accumulators<config>::Value;
  using Shared = Sm90StagingBuffers<config>;
  static_assert(config.store == Store::tma && config.out_major == Major::k &&
                config.subtile(0).bytes() == FoldedStaging<config.out, 1>::buffer_bytes &&
                config.tile_m <= 128);

  TILE_DEVICE Sm90Epilogue(Shared& shared, const Params& params, int warpgroup)
      : params_(params),
        staging_(params.out,
                 shared.subtiles[warpgroup * 4 + arch::warp_uniform(warp_row()) / 16][0]) {}

  // The accumulators of `tile`'s rows from `first_row` on.
  TILE_DEVICE void store(const Accumulators<config>& accumulators, const BlockTile& tile,
                         int first_row) {
    const FoldedPlace at{tile.row / config.tile_m, tile.column / config.tile_n, tile.batch};
    const arch::BoxCorner corner = staging_.corner_of(at);
#pragma unroll
    for (int m = 0; m < Accumulators<config>::m_atoms; ++m) {
      AtomAccumulators of_atom = accumulators.of[m];  // (4, BLK_N / 8)
      const int row = first_row + m * 64;
      switch (params_.out.store.subtile) {
        case FoldedSubtile::wide:
          store_rows<FoldedSubtile::wide>(of_atom, at, corner, row);
          break;
        case FoldedSubtile::narrow:
          store_rows<FoldedSubtile::narrow>(of_atom, at, corner, row);
          break;
        case FoldedSubtile::f32:
          store_rows<FoldedSubtile::f32>(of_atom, at, corner, row);
      }
    }
  }

  TILE_DEVICE void finish() {
    staging_.drain();
    Tree::finish(params_.tree, state_);
  }

 private:
  using AtomAccumulators = const Value (&)[config.tile_n / 2];  // (4, BLK_N / 8)

  // Nodes of the tree get no coordinates: a row of the GEMM is no row of D.
  TILE_DEVICE auto visit(AtomAccumulators accumulators, int fragment) {
    const Value* at = accumulators + fragment * 4;  // (4)
    return Tree::visit(params_.tree, state_,
                       EpilogueFragment<Value>{{{at[0], at[1]}, {at[2], at[3]}}}, {}, {});
  }

  // The warp's 16 of the tile's rows from `row` on, a subtile after the other.
  template <FoldedSubtile kind>
  TILE_DEVICE void store_rows(AtomAccumulators accumulators, const FoldedPlace& at,
                              const arch::BoxCorner& corner, int row) {
    const int first_row = row + arch::warp_uniform(warp_row());
    const arch::BoxCorner of_rows = staging_.corner_of_rows(corner, first_row);
#pragma unroll
    for (int first = 0; first < config.tile_n; first += columns_of(kind)) {
      const char* const stage = staging_.template fill<kind>(
          [&](int fragment) { return visit(accumulators, first / 8 + fragment); });
      if (params_.out.store.by_tma)
        staging_.send(stage, of_rows, first / columns_of(kind));
      else
        staging_.template copy<kind>(stage, at, first_row, first);
    }
  }

  const Params& params_;
  typename Tree::State state_{};
  FoldedStaging<config.out, config.out_buffers> staging_;
};

}  // namespace aisp::tile
