// One value that says how a Hopper GEMM kernel is built: tile, stages, cluster, roles. Everything
// else (buffer sizes, threads, panels) follows from it.
#pragma once

#include "tile/tiled/operand_tile.hpp"

namespace aisp::tile {

enum class Roles {
  cooperative,  // the math warpgroups share an output tile: the largest tile
  ping_pong,    // they take turns with a tile each: one stores while the other multiplies
};

enum class Store {
  direct,  // from registers to global memory
  tma,     // through swizzled staging and TMA, which clips at the edges
};

struct GemmConfig {
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
  TILE_FN int widest_subtile() const { return out_major == Major::k ? 128 / bytes_of(out) : 64; }
  // The subtile that starts at column `first`: the widest power of two that is left.
  TILE_FN OperandTile subtile(int first) const {
    int columns = widest_subtile();
    while (columns > tile_n - first) columns /= 2;
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

  constexpr bool operator==(const GemmConfig&) const = default;
};

// Wrong combinations are refused with the numbers in the message: each check has its numbers as
// template arguments, which the compiler prints.
namespace rules {

template <int shared_memory, int budget>
struct SharedMemory {
  static_assert(shared_memory <= budget,
                "stages * (tile_m + tile_n) * tile_k * element bytes + staging exceed a block's "
                "shared memory: lower stages or the tile");
};
template <int tile_m, int rows_per_warpgroup>
struct TileM {
  static_assert(rows_per_warpgroup >= 64 && rows_per_warpgroup % 64 == 0,
                "each math warpgroup needs a multiple of 64 rows of tile_m, the m of wgmma");
};
template <int tile_n>
struct TileN {
  static_assert(tile_n >= 8 && tile_n <= 256 && (tile_n % 16 == 0 || tile_n == 8 || tile_n == 24),
                "tile_n must be 8, 24 or a multiple of 16 and at most 256, an n of one wgmma");
};
template <int tile_k, int step_k>
struct TileK {
  static_assert(tile_k % step_k == 0 && tile_k > 0,
                "tile_k must be a multiple of one instruction's k (32 bytes of a row)");
};
template <int line_bytes, int swizzle>
struct Panels {
  static_assert(line_bytes % swizzle == 0,
                "an operand's contiguous side must be a multiple of the swizzle's width");
};
template <int lines, int lines_times_blocks>
struct MulticastParts {
  static_assert(
      lines % lines_times_blocks == 0,
      "each block of a cluster loads an equal part of a multicast tile, in groups of 8 lines");
};
template <int registers, int of_multiprocessor>
struct Registers {
  static_assert(registers <= of_multiprocessor,
                "loader_registers + math_warpgroups * math_registers exceed 65536 per block");
};
template <int accumulators, int registers>
struct AccumulatorsFit {
  static_assert(accumulators + 24 <= registers,
                "the accumulators of a thread do not fit its registers: lower tile_m or tile_n");
};
template <Element element, Major major>
struct MajorOfElement {
  static_assert(major == Major::k || bytes_of(element) == 2,
                "wgmma reads MN-major operands of 16-bit elements only; use Major::k");
};
template <Store store, Major out_major>
struct StoreOfMajor {
  static_assert(store == Store::tma || out_major == Major::k,
                "a transposed output is stored by TMA; use Store::tma");
};
template <Element a, Element b>
struct ElementPair {
  static constexpr bool eight_bit_floats(Element e) {
    return e == Element::e4m3 || e == Element::e5m2;
  }
  static_assert((a == b && a != Element::f32 && a != Element::s32) ||
                    (eight_bit_floats(a) && eight_bit_floats(b)) ||
                    (bytes_of(a) == 1 && (b == Element::bf16 || b == Element::f16)),
                "wgmma has no product of these two elements");
};

}  // namespace rules

// True, or the compile ends with the rule and its numbers. `budget` is what one block of a Hopper
// multiprocessor may have.
template <GemmConfig config, int budget = 232448>
constexpr bool admitted =
    sizeof(rules::SharedMemory<config.shared_bytes(), budget>) > 0 &&
    sizeof(rules::TileM<config.tile_m, config.rows_of_warpgroup()>) > 0 &&
    sizeof(rules::TileN<config.tile_n>) > 0 &&
    sizeof(rules::TileK<config.tile_k, 32 / bytes_of(config.b)>) > 0 &&
    sizeof(rules::Panels<config.a_tile().line_bytes(), width_of(config.a_tile().swizzle)>) > 0 &&
    sizeof(rules::Panels<config.b_tile().line_bytes(), width_of(config.b_tile().swizzle)>) > 0 &&
    sizeof(rules::MulticastParts<config.a_tile().lines(), 8 * config.cluster_n>) > 0 &&
    sizeof(rules::MulticastParts<config.b_tile().lines(), 8 * config.cluster_m>) > 0 &&
    sizeof(rules::Registers<config.block_registers(), 65536>) > 0 &&
    sizeof(rules::AccumulatorsFit<config.accumulators(), config.math_registers>) > 0 &&
    sizeof(rules::MajorOfElement<config.a, config.a_major>) > 0 &&
    sizeof(rules::MajorOfElement<config.b, config.b_major>) > 0 &&
    sizeof(rules::StoreOfMajor<config.store, config.out_major>) > 0 &&
    sizeof(rules::ElementPair<config.a, config.b>) > 0;

}  // namespace aisp::tile
