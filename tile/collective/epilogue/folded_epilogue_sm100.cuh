// The epilogue of a contraction on Blackwell: each of four warps loads its 32 rows of accumulators
// from tensor memory, 16 at a time, and sends them through the tree and on to a D whose rows and
// columns are hierarchical modes.
#pragma once

#include "tile/collective/epilogue/epilogue_sm100.cuh"
#include "tile/collective/epilogue/folded_staging.cuh"

namespace aisp::tile {

template <Sm100Config config, EpilogueNode Tree>
class Sm100Epilogue<config, Tree, FoldedOutput> {
 public:
  struct Params {
    typename Tree::Params tree{};
    FoldedOutput out{};
  };
  using Value = float;
  using Shared = Sm100StagingBuffers<config>;
  static_assert(config.store == Store::tma && config.out_scaling == Scaling::none &&
                config.a != Element::s8);
  static_assert(config.cta_group == 1 && config.tile_m == 128, "a warp has 32 rows of the tile");

  TILE_DEVICE Sm100Epilogue(Shared& shared, const Params& params, int warp)
      : params_(params), first_row_(32 * warp), staging_(params.out, shared.subtiles[warp][0]) {}

  // The accumulators of the tile whose first row and column are `corner`.
  TILE_DEVICE void store(arch::TmemAddress accumulator, OutputCoord corner) {
    const FoldedPlace at{corner.row / config.tile_m, corner.column / config.tile_n, corner.batch};
    const arch::BoxCorner of_tile = staging_.corner_of(at);
#pragma unroll 1
    for (int row = first_row_; row < first_row_ + 32; row += 16) {
      const arch::TmemAddress from = arch::tmem_at(accumulator, row, 0);
      const arch::BoxCorner of_rows = staging_.corner_of_rows(of_tile, row);
      switch (params_.out.store.subtile) {
        case FoldedSubtile::wide:
          store_rows<FoldedSubtile::wide>(from, at, of_rows, row);
          break;
        case FoldedSubtile::narrow:
          store_rows<FoldedSubtile::narrow>(from, at, of_rows, row);
          break;
        case FoldedSubtile::f32:
          store_rows<FoldedSubtile::f32>(from, at, of_rows, row);
      }
    }
  }

  TILE_DEVICE void finish() {
    staging_.drain();
    Tree::finish(params_.tree, state_);
  }

 private:
  // Buffers of a matrix have a warp's 32 rows, these 16.
  static constexpr int buffers = 2 * config.out_buffers;
  using Staging = FoldedStaging<config.out, buffers>;
  static_assert(buffers * Staging::buffer_bytes == sizeof(Shared::subtiles[0]));

  // 16 rows, a subtile after the other.
  template <FoldedSubtile kind>
  TILE_DEVICE void store_rows(arch::TmemAddress from, const FoldedPlace& at,
                              const arch::BoxCorner& corner, int row) {
    constexpr int columns = Staging::subtile_of(kind).k;
#pragma unroll 1
    for (int first = 0; first < config.tile_n; first += columns) {
      using Load = FragmentLoad<columns / 8>;
      std::uint32_t loaded[Load::registers];  // (4, SUBTILE_N / 8)
      arch::tmem_load<Load::shape>(loaded, arch::tmem_at(from, 0, first));
      arch::tmem_wait_loads(loaded);
      const char* const stage =
          staging_.template fill<kind>([&](int fragment) { return visit(loaded + 4 * fragment); });
      if (params_.out.store.by_tma)
        staging_.send(stage, corner, first / columns);
      else
        staging_.template copy<kind>(stage, at, row, first);
    }
  }

  // Nodes of the tree get no coordinates: a row of the GEMM is no row of D.
  TILE_DEVICE auto visit(const std::uint32_t* four) {
    const auto value = [four](int i) { return __uint_as_float(four[i]); };
    return Tree::visit(params_.tree, state_,
                       EpilogueFragment<Value>{{{value(0), value(1)}, {value(2), value(3)}}}, {},
                       {});
  }

  const Params& params_;
  const int first_row_;
  typename Tree::State state_{};
  Staging staging_;
};

}  // namespace aisp::tile
