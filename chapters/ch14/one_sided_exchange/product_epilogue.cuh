// What becomes of a tile that a rank has multiplied: it stays, is put into its owner's memory, or
// meets there what other ranks have put.
#pragma once

#include "chapters/ch14/one_sided_exchange/product_kernels.hpp"
#include "comm/one_sided.cuh"
#include "tile/arch/barrier.cuh"
#include "tile/atom/wgmma.hpp"
#include "tile/collective/load/loader_sm90.cuh"
#include "tile/collective/mainloop/accumulators.cuh"

namespace aisp::ch14 {

template <tile::Sm90Config config>
class ProductEpilogue {
 public:
  using Params = ProductArguments;
  struct Shared {};
  static_assert(config.roles == tile::Roles::ping_pong && config.tile_m == ProductShape::tile &&
                    config.tile_n == ProductShape::tile,
                "a tile is one warpgroup's, and that of the flags");

  TILE_DEVICE ProductEpilogue(Shared&, const Params& params, int warpgroup)
      : params_(params), warpgroup_(warpgroup) {}

  TILE_DEVICE void store(const tile::Accumulators<config>& accumulators,
                         const tile::BlockTile& tile, int) {
    const Corner corner{tile.row, tile.column};
    if (params_.to == Destination::partial) return write(accumulators, corner, params_.partial);
    const int tile_row = tile.row / ProductShape::tile;
    const int number = tile_row * params_.n_tiles + tile.column / ProductShape::tile;
    const int owner = owner_of(tile_row);
    if (params_.to == Destination::slots)
      write(accumulators, corner, slot(owner, params_.rank));
    else if (owner != params_.rank)
      put(accumulators, corner, owner, number);
    else
      sum(accumulators, corner, number);
  }
  TILE_DEVICE void finish() {}

 private:
  struct Corner {
    int row, column;
  };
  // Pairs of a row whose parts are under way at once: the latency of memory is paid for all.
  static constexpr int at_once = 16, fragments = config.tile_n / 8;

  TILE_DEVICE static int thread() { return static_cast<int>(threadIdx.x) % 128; }
  TILE_DEVICE void meet() const { tile::arch::barrier_sync(1 + warpgroup_, 128); }
  TILE_DEVICE int tiles() const { return params_.m_tiles * params_.n_tiles; }

  TILE_DEVICE int owner_of(int tile_row) const {
    int owner = 0;
    while (tile_row >= params_.of[owner].end_tile_row) ++owner;
    return owner;
  }
  // Where C would begin if all of its rows lay where the owner's do in the slot for `source`.
  TILE_DEVICE float* slot(int owner, int source) const {
    const ProductRank& of = params_.of[owner];
    return of.slots + source * params_.slot_stride - first_element(of);
  }
  TILE_DEVICE std::int64_t first_element(const ProductRank& of) const {
    return std::int64_t{of.first_tile_row} * ProductShape::tile * params_.n;
  }

  // A row of the tile in one thread: the pairs of every 8 columns, from `at` in C on.
  struct Line {
    std::int64_t at;
    int left;  // columns of C from there on

    TILE_DEVICE bool has(int fragment) const { return 8 * fragment < left; }
  };
  TILE_DEVICE static float2 pair(const float (&own)[4 * fragments], int half, int fragment) {
    return make_float2(own[4 * fragment + 2 * half], own[4 * fragment + 2 * half + 1]);
  }
  // body(accumulators of 64 rows, which half of their four, line) for the thread's rows inside of
  // C.
  template <class Body>
  TILE_DEVICE void each_line(const tile::Accumulators<config>& accumulators, Corner corner,
                             const Body& body) const {
#pragma unroll
    for (int m = 0; m < tile::Accumulators<config>::m_atoms; ++m)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const tile::Cell cell =
            tile::Wgmma<config.a, config.tile_n>::accumulator(thread(), 2 * half);
        const int row = corner.row + m * 64 + cell.row, column = corner.column + cell.column;
        if (row < params_.m)
          body(accumulators.of[m], half,
               Line{std::int64_t{row} * params_.n + column, params_.n - column});
      }
  }

  TILE_DEVICE void write(const tile::Accumulators<config>& accumulators, Corner corner,
                         float* to) const {
    each_line(accumulators, corner,
              [&](const float(&own)[4 * fragments], int half, const Line& line) {
#pragma unroll
                for (int i = 0; i < fragments; ++i)
                  if (line.has(i))
                    *reinterpret_cast<float2*>(to + line.at + 8 * i) = pair(own, half, i);
              });
  }

  TILE_DEVICE void put(const tile::Accumulators<config>& accumulators, Corner corner, int owner,
                       int number) const {
    write(accumulators, corner, slot(owner, params_.rank));
    meet();
    if (thread() == 0) comm::signal(params_.of[owner].flags + params_.rank * tiles() + number, 1);
  }

  // In the order of the ranks, the own part in its place: the same bits whoever comes first.
  TILE_DEVICE void sum(const tile::Accumulators<config>& accumulators, Corner corner,
                       int number) const {
    const ProductRank& own = params_.of[params_.rank];
    if (thread() < params_.ranks && thread() != params_.rank)
      comm::wait_until(own.flags + thread() * tiles() + number, 1);
    meet();
    each_line(accumulators, corner,
              [&](const float(&own)[4 * fragments], int half, const Line& line) {
#pragma unroll
                for (int first = 0; first < fragments; first += at_once)
                  sum_pairs(own, half, line, first);
              });
  }
  TILE_DEVICE void sum_pairs(const float (&own)[4 * fragments], int half, const Line& line,
                             int first) const {
    float2 sums[at_once];
    for (int source = 0; source < params_.ranks; ++source) {
      const float* const from = slot(params_.rank, source) + line.at;
      float2 parts[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        parts[i] = source != params_.rank && line.has(first + i)
                       ? *reinterpret_cast<const float2*>(from + 8 * (first + i))
                       : pair(own, half, first + i);
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        sums[i] =
            source == 0 ? parts[i] : make_float2(sums[i].x + parts[i].x, sums[i].y + parts[i].y);
    }
    float* const to = params_.result - first_element(params_.of[params_.rank]) + line.at;
#pragma unroll
    for (int i = 0; i < at_once; ++i)
      if (line.has(first + i)) *reinterpret_cast<float2*>(to + 8 * (first + i)) = sums[i];
  }

  const Params& params_;
  int warpgroup_;
};

}  // namespace aisp::ch14
