// The end of a tile of attention: accumulators are divided by the sum of the weights and stored, by
// TMA where the tile's rows are the tensor's, from registers where the next sequence's rows
// follow or shared memory is full.
#pragma once

#include "tile/arch/warp.cuh"
#include "tile/collective/attention/products_sm90.cuh"
#include "tile/collective/epilogue/staging.cuh"

namespace aisp::tile {

template <Sm90AttentionConfig config>
class AttentionOutput {
 public:
  TILE_DEVICE AttentionOutput(Sm90AttentionShared<config>& shared, const AttentionParams& params,
                              int warpgroup)
      : shared_(shared), params_(params), row_(warpgroup * 64 + arch::warp_uniform(warp_row())) {}

  TILE_DEVICE void store(float (&out)[config.head_size / 2], const OnlineSoftmax& softmax,
                         const AttentionTile& tile, float scale) {
    float inverse[2];  // (2): the rows
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      const float sum = softmax.sum(row);
      inverse[row] = sum == 0 ? 0 : __fdividef(scale, sum);
      store_log_sum_exp(softmax.top(row), sum, row, tile);
    }
    scale_out<config>(out, inverse[0], inverse[1]);
    if constexpr (config.staged()) unread_ = shared_.slot_of(tile);
    if (config.staged() && !is_packed<config>(params_))
      store_staged(out, tile);
    else
      store_rows(out, tile);
  }

  // TMA has read the last results: their place is free for queries.
  TILE_DEVICE void release() {
    if (!config.staged() || unread_ < 0) return;
    finish();
    if (lane() == 0) arch::mbarrier_arrive(&shared_.queries.empty[unread_]);
    unread_ = -1;
  }

  // ... and the block may end.
  TILE_DEVICE void finish() {
    if (config.staged() && lane() == 0) arch::bulk_wait_read<0>();
  }

 private:
  // Of the thread's two rows, in the sequence.
  TILE_DEVICE int row_in_sequence(const AttentionTile& tile, int row) const {
    return tile.first_row + row_ + wgmma_warp_accumulator(lane(), 2 * row).row;
  }
  TILE_DEVICE int batch_of(const AttentionTile& tile) const {
    return is_packed<config>(params_) ? 0 : tile.sequence;
  }

  TILE_DEVICE void store_log_sum_exp(float top, float sum, int row, const AttentionTile& tile) {
    const AttentionOut& to = params_.out;
    const int at = row_in_sequence(tile, row);
    if (to.log_sum_exp == nullptr || lane() % 4 != 0 || at >= tile.queries) return;
    constexpr float ln_2 = 0.693147180559945f;
    // A sum that is NaN is no row without keys.
    const float value = sum == 0 ? -INFINITY : (top - softmax_lift(config)) * ln_2 + logf(sum);
    to.log_sum_exp[batch_of(tile) * to.lse_batch_stride + tile.head * to.lse_head_stride +
                   tile.query_start + at] = value;
  }

  TILE_DEVICE void store_staged(const float (&out)[config.head_size / 2],
                                const AttentionTile& tile) {
    constexpr OperandTile result = config.o_tile(), queries = config.q_tile();
    // A warp's rows of a panel of queries are as large as a panel of its results.
    char* stage = shared_.q[shared_.slot_of(tile)] + line_start<queries>(row_, 0);  // (16, HEAD)
#pragma unroll
    for (int i = 0; i < config.head_size / 2; i += 8) {
      constexpr int width = result.panel_width();
      stage_stmatrix<panel_of(result)>(stage + line_start<queries>(0, 2 * i / width),
                                       fragment(out, i), fragment(out, i + 4), 2 * i % width);
    }
    arch::fence_async_shared();
    __syncwarp();
    if (lane() == 0) {
#pragma unroll
      for (int panel = 0; panel < result.panels(); ++panel)
        arch::tma_store(&params_.o, stage + line_start<queries>(0, panel),
                        panel * result.panel_width(), tile.first_row + row_, tile.head,
                        tile.sequence);
      arch::bulk_commit();
    }
  }
  static TILE_FN OperandTile panel_of(OperandTile tile) {
    tile.k = tile.panel_width();
    return tile;
  }

  TILE_DEVICE static EpilogueFragment<float> fragment(const float (&out)[config.head_size / 2],
                                                      int i) {
    return {{{out[i], out[i + 1]}, {out[i + 2], out[i + 3]}}};
  }

  TILE_DEVICE void store_rows(const float (&out)[config.head_size / 2], const AttentionTile& tile) {
    const AttentionOut& to = params_.out;
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      const int at = row_in_sequence(tile, row);
      if (at >= tile.queries) continue;
      char* line = to.data + 2 * (batch_of(tile) * to.batch_stride + tile.head * to.head_stride +
                                  (tile.query_start + at) * to.row_stride +
                                  wgmma_warp_accumulator(lane(), 0).column);
#pragma unroll
      for (int i = 0; i < config.head_size / 2; i += 4)
        *reinterpret_cast<std::uint32_t*>(line + 4 * i) =
            encode_pair<config.out()>(out[i + 2 * row], out[i + 2 * row + 1]);
    }
  }

  Sm90AttentionShared<config>& shared_;
  const AttentionParams& params_;
  int row_;          // the warp's first one of the tile
  int unread_ = -1;  // the slot of queries where results may still be read
};

// The rows of a tile that sees no key, by one warp.
template <Sm90AttentionConfig config>
TILE_DEVICE void store_nothing(const AttentionParams& params, const AttentionTile& tile) {
  const AttentionOut& to = params.out;
  const int batch = is_packed<config>(params) ? 0 : tile.sequence;
  const int rows = smaller(config.block_rows(), tile.queries - tile.first_row);
  constexpr int words = config.head_size / 2;
#pragma unroll 1  // rare, and by the warp that has few registers
  for (int i = lane(); i < rows * words; i += 32)
    *reinterpret_cast<std::uint32_t*>(
        to.data +
        2 * (batch * to.batch_stride + tile.head * to.head_stride +
             (tile.query_start + tile.first_row + i / words) * to.row_stride) +
        4 * (i % words)) = 0;
#pragma unroll 1
  for (int row = lane(); to.log_sum_exp != nullptr && row < rows; row += 32)
    to.log_sum_exp[batch * to.lse_batch_stride + tile.head * to.lse_head_stride + tile.query_start +
                   tile.first_row + row] = -INFINITY;
}

}  // namespace aisp::tile
