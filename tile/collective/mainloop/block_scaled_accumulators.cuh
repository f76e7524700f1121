// The main loop for 8-bit floats with a factor for every 128 k of a row of A and of a group of
// columns of B: each k-block has accumulators of its own, which are multiplied by the factors of
// their row and column as they are collected. So no long sum stays in the matrix unit either, which
// aligns products of 8-bit floats to few bits (promoted_accumulators.cuh).
#pragma once

#include "tile/atom/wgmma.hpp"
#include "tile/collective/mainloop/blocks_apart.cuh"

namespace aisp::tile {

// Factors in global memory, by row (of A; of B a group of columns as wide as a tile) and k-block.
// Strides count floats; a stride of 0 says that all along it are the same.
struct BlockFactors {
  const float* data = nullptr;
  std::int64_t row_stride = 0, k_stride = 0;

  TILE_FN std::int64_t index(int row, int k_block) const {
    return row * row_stride + k_block * k_stride;
  }
};

template <Sm90Config config>
class BlockScaledAccumulators {
 public:
  static_assert(is_fp8(config.a) && is_fp8(config.b), "8-bit floats are what has such factors");

  TILE_DEVICE BlockScaledAccumulators(Sm90Buffers<config>& buffers, ClusterCoord coord,
                                      int first_row)
      : blocks_(buffers, coord, first_row) {}

  // Where the factors of a tile are. Rows outside of the matrix are zeros, whatever they are
  // multiplied by.
  TILE_DEVICE void enter(const BlockFactors& a, const BlockFactors& b, const BlockTile& tile,
                         int rows) {
    const int thread = static_cast<int>(threadIdx.x) % 128;
#pragma unroll
    for (int m = 0; m < m_atoms; ++m)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row =
            tile.row + blocks_.first_row() + m * 64 + Atom::accumulator(thread, 2 * half).row;
        a_rows_[m][half] = a.data + a.index(row < rows ? row : rows - 1, tile.k_first);
      }
    b_column_ = b.data + b.index(tile.column / config.tile_n, tile.k_first);
    a_step_ = a.k_stride;
    b_step_ = b.k_stride;
  }

  // The K loop, of at least one k-block. The accumulators of one are collected while the next one's
  // products run, so there are two sets of them.
  TILE_DEVICE void multiply(Accumulators<config>& accumulators, int k_blocks) {
    Accumulators<config> even, odd;  // (MMA_M, (4, BLK_N / 8)) each
    Factors of_even, of_odd;
    BlocksApart<config>::clear(accumulators);
    load(of_even);
    blocks_.start(even);
    int started = 1;
    for (; started + 1 < k_blocks; started += 2) {
      load(of_odd);
      blocks_.start(odd);
      collect<1>(accumulators, even, of_even);
      load(of_even);
      blocks_.start(even);
      collect<1>(accumulators, odd, of_odd);
    }
    if (started < k_blocks) {
      load(of_odd);
      blocks_.start(odd);
      collect<1>(accumulators, even, of_even);
      collect<0>(accumulators, odd, of_odd);
    } else {
      collect<0>(accumulators, even, of_even);
    }
  }

 private:
  using Atom = Wgmma<config.a, config.tile_n>;
  static constexpr int m_atoms = Accumulators<config>::m_atoms;
  // Of a thread's rows and of all columns.
  struct Factors {
    float row[m_atoms][2], column;
  };

  // On their way while the operands are waited for and multiplied.
  TILE_DEVICE void load(Factors& factors) {
    factors.column = __ldg(b_column_);
    b_column_ += b_step_;
#pragma unroll
    for (int m = 0; m < m_atoms; ++m)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        factors.row[m][half] = __ldg(a_rows_[m][half]);
        a_rows_[m][half] += a_step_;
      }
  }
  // Adds the oldest accumulators under way, times their factors; those of `younger` k-blocks stay.
  template <int younger>
  TILE_DEVICE void collect(Accumulators<config>& accumulators, Accumulators<config>& of_block,
                           const Factors& factors) {
    blocks_.template end<younger>(of_block);
#pragma unroll
    for (int m = 0; m < m_atoms; ++m) {
      const float of_half[2] = {factors.row[m][0] * factors.column,
                                factors.row[m][1] * factors.column};
#pragma unroll
      for (int i = 0; i < config.tile_n / 2; ++i)
        accumulators.of[m][i] += of_half[i % 4 / 2] * of_block.of[m][i];
    }
  }

  BlocksApart<config> blocks_;
  const float* a_rows_[m_atoms][2] = {};
  const float* b_column_ = nullptr;
  std::int64_t a_step_ = 0, b_step_ = 0;
};

}  // namespace aisp::tile
