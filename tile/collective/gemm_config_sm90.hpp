// One value that says how a Hopper GEMM kernel is built: tile, stages, cluster, roles. Everything
// else (buffer sizes, threads, panels) follows from it.
#pragma once

#include "tile/collective/store.hpp"
#include "tile/tiled/operand_tile.hpp"

namespace aisp::tile {

enum class Roles {
  cooperative,  // the math warpgroups share an output tile: the largest tile
  ping_pong,    // they take turns with a tile each: one stores while the other multiplies
};

struct Sm90Config {
  Element a = Element::bf16, b = Element::bf16, out = Element::bf16;
  Major a_major = Major::k, b_major = Major::k;
  Major out_major = Major::k;  // mn: the output is stored transposed, m is contiguous in memory
  int tile_m = 128, tile_n = 256, tile_k = 64, stages = 4;
  int cluster_m = 1, cluster_n = 1;  // neighbouring blocks that share copies of B, of A
  Roles roles = Roles::cooperative;
  int math_warpgroups = 2;
  Store store = Store::tma;
  int out_buffers = 2;  // subtiles that a warp has on their way out, or is filling
  SwizzleMode swizzle = SwizzleMode::bytes_128;  // of operands whose lines are that wide
  bool promote =
      false;  // 8-bit floats: collect each k-block's accumulators outside the matrix unit
  int loader_registers = 40, math_registers = 232;

  TILE_FN int blocks() const { return cluster_m * cluster_n; }
  TILE_FN int threads() const { return 128 * (1 + math_warpgroups); }
  TILE_FN int rows_of_warpgroup() const {
    return roles == Roles::ping_pong ? tile_m : tile_m / math_warpgroups;
  }
  TILE_FN int readers() const { return roles == Roles::ping_pong ? 1 : math_warpgroups; }

  TILE_FN int block_registers() const {
    return 128 * (loader_registers + math_warpgroups * math_registers);
  }
  // Accumulators of one thread; with promotion there are two sets.
  TILE_FN int accumulators() const {
    return rows_of_warpgroup() * tile_n / 128 * (promote ? 2 : 1);
  }

  // Operands of different width (A narrow, converted in registers) have lines of different length.
  TILE_FN OperandTile operand(Element element, Major major, int rows) const {
    OperandTile tile{element, major, rows, tile_k, swizzle};
    const SwizzleMode widest = widest_swizzle(tile.line_bytes());
    if (width_of(widest) < width_of(swizzle)) tile.swizzle = widest;
    return tile;
  }
  TILE_FN OperandTile a_tile() const { return operand(a, a_major, tile_m); }
  TILE_FN OperandTile b_tile() const { return operand(b, b_major, tile_n); }
  TILE_FN int stage_bytes() const { return a_tile().bytes() + b_tile().bytes(); }

  // The epilogue stages the output in subtiles, each warp its own 16 rows (so that no warp waits
  // for another); stored transposed, where 16 rows would be too short a line, a warpgroup its 64.
  TILE_FN int subtile_rows() const { return out_major == Major::k ? 16 : 64; }
  TILE_FN int stored_columns() const { return tile_n; }
  TILE_FN int widest_subtile() const { return out_major == Major::k ? 128 / bytes_of(out) : 64; }
  // The subtile that starts at column `first`: the widest power of two that is left.
  TILE_FN OperandTile subtile(int first) const {
    int columns = widest_subtile();
    while (columns > stored_columns() - first) columns /= 2;
    OperandTile subtile{out, out_major, subtile_rows(), columns, SwizzleMode::bytes_128};
    subtile.swizzle = widest_swizzle(subtile.line_bytes());
    return subtile;
  }
  TILE_FN int staging_bytes() const {
    const int groups = math_warpgroups * 64 / subtile_rows();
    return store == Store::tma ? groups * out_buffers * subtile(0).bytes() : 0;
  }
  // Barriers, turns and the rounding up to 1024 bytes come on top.
  TILE_FN int shared_bytes() const { return stages * stage_bytes() + staging_bytes() + 2048; }

  constexpr bool operator==(const Sm90Config&) const = default;
};

}  // namespace aisp::tile
