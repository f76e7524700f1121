// An atom over a block's tile: warps beside each other, each with the atoms of its own rectangle,
// one k step after the other. Values and maps; the instructions are in tile/tiled/tiled_mma.cuh.
#pragma once

#include "tile/atom/lane_layout.hpp"
#include "tile/tiled/operand_tile.hpp"

namespace aisp::tile {

// warps_m x warps_n warps share tile_m x tile_n accumulators; warp w is row w % warps_m.
struct MmaTiling {
  int tile_m = 128, tile_n = 128, tile_k = 32;
  int warps_m = 2, warps_n = 4;

  TILE_FN int threads() const { return 32 * warps_m * warps_n; }
  TILE_FN int warp_m() const { return tile_m / warps_m; }
  TILE_FN int warp_n() const { return tile_n / warps_n; }
  constexpr bool operator==(const MmaTiling&) const = default;
};

namespace rules {

template <int tile, int warps, int atom>
struct WarpTile {
  static_assert(tile % (warps * atom) == 0,
                "a side of the tile must be a multiple of warps x atom on that side");
};
template <int tile_k, int step_k>
struct KSteps {
  static_assert(tile_k % (2 * step_k) == 0,
                "tile_k must be an even number of k steps: fragments alternate between two sets");
};

}  // namespace rules

template <class Atom_, MmaTiling tiling_>
struct TiledMma {
  using Atom = Atom_;
  static constexpr MmaTiling tiling = tiling_;

  // ldmatrix reads 32 bytes of k; the shorter atoms go through them in two.
  static constexpr int k_atoms = Atom::of_matrices ? 32 / (Atom::k * bytes_of(Atom::element)) : 1;
  static constexpr int step_k = k_atoms * Atom::k;
  static constexpr int steps = tiling.tile_k / step_k;
  static constexpr int m_atoms = tiling.warp_m() / Atom::m, n_atoms = tiling.warp_n() / Atom::n;
  static constexpr int threads = tiling.threads();

  static constexpr bool admitted = sizeof(rules::WarpTile<tiling.tile_m, tiling.warps_m, Atom::m>) >
                                       0 &&
                                   sizeof(rules::WarpTile<tiling.tile_n, tiling.warps_n, 16>) > 0 &&
                                   sizeof(rules::KSteps<tiling.tile_k, step_k>) > 0;
  static_assert(admitted);

  // The first row and column of a warp's rectangle.
  static TILE_FN Cell corner(int warp) {
    return {warp % tiling.warps_m * tiling.warp_m(), warp / tiling.warps_m * tiling.warp_n()};
  }
  // (THREAD, (MMA_C, N_ATOMS, M_ATOMS)) of the block's tile: the atom beside itself, then warps.
  static TILE_FN LaneLayout accumulator_layout() {
    return Atom::accumulator_layout()
        .within(tiling.tile_m, tiling.tile_n)
        .with_values(n_atoms, 0, Atom::n)
        .with_values(m_atoms, Atom::m, 0)
        .with_lanes(tiling.warps_m, tiling.warp_m(), 0)
        .with_lanes(tiling.warps_n, 0, tiling.warp_n());
  }
  // Of the block's tile: accumulator `index` of a thread's atom (atom_m, atom_n).
  static TILE_FN Cell accumulator(int thread, int atom_m, int atom_n, int index) {
    const Cell first = corner(thread / 32), in_atom = Atom::accumulator(thread % 32, index);
    return {first.row + atom_m * Atom::m + in_atom.row,
            first.column + atom_n * Atom::n + in_atom.column};
  }
};

}  // namespace aisp::tile
