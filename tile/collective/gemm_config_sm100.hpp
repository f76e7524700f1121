// One value that says how a Blackwell GEMM kernel is built: tile, stages, pair, cluster,
// accumulators. Everything else (buffer sizes, threads, columns of tensor memory) follows from it.
#pragma once

#include "tile/arch/limits.hpp"
#include "tile/atom/block_scale.hpp"
#include "tile/atom/tcgen05_scaled.hpp"
#include "tile/collective/store.hpp"
#include "tile/pipeline/tmem_plan.hpp"
#include "tile/tiled/operand_tile.hpp"

namespace aisp::tile {

struct Sm100Config {
  Element a = Element::bf16, b = Element::bf16, out = Element::bf16;
  Major a_major = Major::k, b_major = Major::k;
  // What one instruction computes, over and over: tile_m x tile_n of one block (cta_group 1), or of
  // a pair of which each block has half of the rows of A, B and D (cta_group 2).
  int tile_m = 128, tile_n = 128, tile_k = 64, stages = 4;
  int cta_group = 1;
  int cluster_m = 1, cluster_n = 1;  // neighbouring tiles that share copies of B, of A
  int accumulators = 2;    // tiles that tensor memory holds: one goes out, one is computed
  bool a_in_tmem = false;  // products read A from tensor memory: Tcgen05CopiedA
  Store store = Store::tma;
  int out_buffers = 2;  // subtiles that a warp has on their way out, or is filling
  SwizzleMode swizzle = SwizzleMode::bytes_128;  // of operands whose lines are that wide
  Scaling scaling = Scaling::none;               // of A and B
  Scaling out_scaling = Scaling::none;           // of the output, which Store::direct writes
  int residents = 1;  // blocks that share a multiprocessor; no more fit, see reserved_bytes()

  // Warps 0 to 3 store, warp 4 loads, warp 5 issues products, warp 6 asks for further tiles.
  static constexpr int load_warp = 4, issue_warp = 5, ask_warp = 6;
  TILE_FN int threads() const { return 32 * 7; }
  TILE_FN int blocks() const { return cta_group * cluster_m * cluster_n; }

  TILE_FN int block_m() const { return tile_m / cta_group; }  // rows of A and D in one block
  TILE_FN int block_n() const { return tile_n / cta_group; }  // rows of B in one block
  TILE_FN OperandTile a_tile() const { return operand(a, a_major, block_m()); }
  TILE_FN OperandTile b_tile() const { return operand(b, b_major, block_n()); }
  TILE_FN int stage_bytes() const { return a_tile().bytes() + b_tile().bytes() + scale_bytes(); }
  // What copies of a stage announce: elements that get a byte of their own on the way count as they
  // lie in memory.
  TILE_FN int copied_bytes() const {
    return block_m() * tile_k * bits_of(a) / 8 + block_n() * tile_k * bits_of(b) / 8 +
           scale_bytes();
  }

  // Block scales of a stage: groups of four along k, blocks of 128 rows; of B those that its
  // columns may lie in. Of a pair each block has the scales of all of B.
  TILE_FN bool scaled() const { return scaling != Scaling::none; }
  TILE_FN bool packs() const { return scaled() && a == Element::e2m1 && b == Element::e2m1; }
  TILE_FN int scale_groups() const {
    return scaled() ? tile_k / (scales_in_group * scaled_together(scaling)) : 0;
  }
  TILE_FN int b_scale_blocks() const {
    int step = scale_rows;  // first columns of tiles are multiples of it
    while (tile_n % step != 0) step /= 2;
    return (scale_rows - step + tile_n + scale_rows - 1) / scale_rows;
  }
  TILE_FN int scale_bytes() const {
    return scale_groups() * (1 + b_scale_blocks()) * scale_block_bytes;
  }
  TILE_FN int scale_columns() const { return scale_bytes() / 128; }

  TILE_FN int accumulator_columns() const {
    return tcgen05_accumulator_columns(tile_m, tile_n, cta_group);
  }
  TILE_FN int a_columns() const { return tile_k * bytes_of(a) / 4; }  // of one k-block
  TILE_FN TmemPlan tmem() const {
    TmemPlan plan = TmemPlan{}.with("accumulators", accumulators * accumulator_columns());
    if (a_in_tmem) plan = plan.with("a", stages * a_columns());
    return scaled() ? plan.with("scales", stages * scale_columns()) : plan;
  }

  // Rows and columns of the output that one warp stores, and the subtiles in which it does: the
  // one that starts at column `first` is the widest power of two that is left.
  TILE_FN Tcgen05WarpPart part(int warp) const {
    return tcgen05_warp_part(tile_m, tile_n, cta_group, warp);
  }
  TILE_FN int stored_columns() const { return part(0).columns; }
  TILE_FN int widest_subtile() const { return 128 / bytes_of(out); }
  TILE_FN OperandTile subtile(int first) const {
    int columns = widest_subtile();
    while (columns > stored_columns() - first) columns /= 2;
    OperandTile subtile{out, Major::k, part(0).rows, columns, SwizzleMode::bytes_128};
    subtile.swizzle = widest_swizzle(subtile.line_bytes());
    return subtile;
  }
  TILE_FN int staging_bytes() const {
    return store == Store::tma ? 4 * out_buffers * subtile(0).bytes() : 0;
  }
  // Barriers, answers of the launch control and the rounding up to 1024 bytes come on top.
  TILE_FN int shared_bytes() const { return stages * stage_bytes() + staging_bytes() + 2048; }

  // A block asks for so much that no more than `residents` run on a multiprocessor: one more would
  // wait for columns of tensor memory until the end of another.
  TILE_FN int reserved_bytes(int used) const {
    constexpr arch::Limits limits = arch::limits_of(100);
    const int least = limits.shared_per_sm / (residents + 1) - limits.shared_reserved + 1;
    return used > least ? used : least;
  }

  constexpr bool operator==(const Sm100Config&) const = default;

 private:
  TILE_FN OperandTile operand(Element element, Major major, int rows) const {
    // To copies and descriptors two e2m1 in a byte are one element of 8 bits.
    OperandTile tile{element, major, rows, tile_k, swizzle};
    if (packs()) tile.element = Element::s8, tile.k = tile_k / 2;
    const SwizzleMode widest = widest_swizzle(tile.line_bytes());
    if (width_of(widest) < width_of(swizzle)) tile.swizzle = widest;
    return tile;
  }
};

}  // namespace aisp::tile
