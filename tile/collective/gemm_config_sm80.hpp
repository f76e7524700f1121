// One value that says how a cp.async kernel is built, and the rules it must keep.
#pragma once

#include "tile/arch/limits.hpp"
#include "tile/tiled/tiled_copy.hpp"
#include "tile/tiled/tiled_mma.hpp"

namespace aisp::tile {

struct Sm80Config {
  int tile_m = 128, tile_n = 256, tile_k = 32, stages = 4;
  int warps_m = 2, warps_n = 4;
  Major a_major = Major::k, b_major = Major::k;
  int blocks_per_sm = 1;  // what the register budget allows for

  TILE_FN MmaTiling tiling() const { return {tile_m, tile_n, tile_k, warps_m, warps_n}; }
  TILE_FN int threads() const { return tiling().threads(); }

  // The widest swizzle that a line fills.
  static TILE_FN OperandTile operand(Element element, Major major, int rows, int k) {
    OperandTile tile{element, major, rows, k};
    tile.swizzle = widest_swizzle(tile.line_bytes());
    return tile;
  }
  TILE_FN OperandTile a_tile(Element element) const {
    return operand(element, a_major, tile_m, tile_k);
  }
  TILE_FN OperandTile b_tile(Element element) const {
    return operand(element, b_major, tile_n, tile_k);
  }
  // Both rings start at a multiple of 1024.
  TILE_FN int shared_bytes(Element element) const {
    const auto up = [](int bytes) { return (bytes + 1023) / 1024 * 1024; };
    return up(stages * a_tile(element).bytes()) + up(stages * b_tile(element).bytes());
  }
  constexpr bool operator==(const Sm80Config&) const = default;
};

namespace rules {

template <int used, int budget>
struct StagesFit {
  static_assert(used <= budget,
                "stages * (tile_m + tile_n) * tile_k * element bytes exceed a block's shared "
                "memory: lower stages or the tile");
};
template <int accumulators_of_thread, int registers>
struct WarpAccumulatorsFit {
  static_assert(
      accumulators_of_thread <= registers,
      "the accumulators of a thread must leave registers for fragments: more warps or a smaller "
      "tile");
};

}  // namespace rules

// True, or the compile ends with the rule and its numbers. `budget`: bytes of shared memory that a
// block may have, of the newest architecture with these instructions.
template <class Atom, Sm80Config config, int budget = arch::limits_of(90).shared_per_block>
constexpr bool multistage_admitted =
    sizeof(rules::StagesFit<config.shared_bytes(Atom::element), budget>) > 0 &&
    sizeof(rules::WarpAccumulatorsFit<config.tile_m * config.tile_n / config.threads(), 128>) > 0 &&
    sizeof(CopyPlan<config.a_tile(Atom::element), config.threads()>) > 0 &&
    sizeof(CopyPlan<config.b_tile(Atom::element), config.threads()>) > 0 &&
    TiledMma<Atom, config.tiling()>::admitted;

}  // namespace aisp::tile
