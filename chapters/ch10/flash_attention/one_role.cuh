// Fused attention on wgmma without roles: two warpgroups with 64 queries each load, multiply and
// weigh, one block of keys after the other. The rungs are values of OneRoleConfig.
#pragma once

#include "chapters/ch10/common/attention_args.hpp"
#include "chapters/ch10/common/attention_rows.cuh"
#include "chapters/ch10/flash_attention/one_role_feeds.cuh"
#include "tile/arch/barrier.cuh"
#include "tile/arch/warp.cuh"
#include "tile/arch/wgmma.cuh"
#include "tile/collective/mainloop/accumulators.cuh"

namespace aisp::ch10 {

template <OneRoleConfig config_>
class OneRole {
 public:
  static constexpr OneRoleConfig config = config_;
  using Feed = FeedOf<config>;
  using Params = typename Feed::Params;
  using Shared = OneRoleShared<config>;

  TILE_DEVICE static void run(const Params& params) {
    OneRole(aligned_shared<Shared>(), params.args).attend(params);
  }

 private:
  static constexpr int size = config.head_size, block_n = config.block_n;
  static constexpr auto q_tile = rows_tile(OneRoleConfig::block_m, size);
  static constexpr auto k_tile = rows_tile(block_n, size);
  static constexpr auto v_tile = values_tile(block_n, size);
  static constexpr auto p_tile = rows_tile(64, block_n);

  TILE_DEVICE OneRole(Shared& shared, const AttentionArgs& args)
      : shared_(shared),
        args_(args),
        warpgroup_(arch::warp_uniform(static_cast<int>(threadIdx.x) / 128)),
        first_query_(static_cast<int>(blockIdx.x) * OneRoleConfig::block_m + warpgroup_ * 64),
        row_(static_cast<int>(threadIdx.x) % 128 / 32 * 16),
        softmax_(args.scale) {}

  TILE_DEVICE void attend(const Params& params) {
    const int end = (static_cast<int>(blockIdx.x) + 1) * OneRoleConfig::block_m;
    const int blocks = (args_.keys_before(end) + block_n - 1) / block_n;
    Feed feed(shared_, params, blocks);
    float o[size / 2];
    for (int block = 0; block < blocks; ++block) {
      const int slot = feed.wait(block);
      // Under a causal mask the first warpgroup's queries see nothing of the last keys.
      if (block * block_n <= args_.last_key(first_query_ + 63))
        add_keys(feed, o, slot, block);
      else
        feed.ask(block);
      feed.release(block);
    }
    store(o);
  }

  TILE_DEVICE void add_keys(Feed& feed, float (&o)[size / 2], int slot, int block) {
    float scores[block_n / 2];
    arch::keep_in_place(scores);
    arch::wgmma_fence();
    multiply_keys(scores, slot);
    arch::wgmma_commit();
    feed.ask(block);  // for the next keys, while these are multiplied
    arch::wgmma_wait<0>();
    arch::keep_in_place(scores);

    const int row = first_query_ + row_ + static_cast<int>(threadIdx.x) % 32 / 4;
    if ((block + 1) * block_n - 1 > args_.last_key(first_query_))
      hide_keys(scores, block * block_n, args_.last_key(row), args_.last_key(row + 8));
    float shrunk[2];
    softmax_.weigh(scores, shrunk);
    if (block > 0) shrink_rows(o, shrunk);
    multiply_values(o, scores, slot, block > 0);
  }

  // scores = Q K' of the warpgroup's 64 queries.
  TILE_DEVICE void multiply_keys(float (&scores)[block_n / 2], int slot) {
#pragma unroll
    for (int step = 0; step < q_tile.steps(); ++step)
      arch::wgmma_instruction<arch::MatrixKind::bf16, false, false>(
          scores, operand<q_tile>(shared_.q, warpgroup_ * 64, step),
          operand<k_tile>(shared_.k[slot], 0, step), step != 0);
  }

  // o += P V.
  TILE_DEVICE void multiply_values(float (&o)[size / 2], const float (&weights)[block_n / 2],
                                   int slot, bool add) {
    if constexpr (config.register_p) {
      std::uint32_t p[block_n / 16][4];
#pragma unroll
      for (int step = 0; step < block_n / 16; ++step) as_operand_a(p[step], weights, step);
      arch::keep_in_place(o);
      arch::wgmma_fence();
#pragma unroll
      for (int step = 0; step < block_n / 16; ++step)
        arch::wgmma_instruction<arch::MatrixKind::bf16, true>(
            o, p[step], operand<v_tile>(shared_.v[slot], 0, step), step != 0 || add);
    } else {
      // All warps of the warpgroup have written before any of them asks for the product.
      char* p = shared_.p.of[warpgroup_];
      stage_rows<p_tile>(p, weights, row_);
      arch::fence_async_shared();
      arch::barrier_sync(1 + warpgroup_, 128);
      arch::keep_in_place(o);
      arch::wgmma_fence();
#pragma unroll
      for (int step = 0; step < block_n / 16; ++step)
        arch::wgmma_instruction<arch::MatrixKind::bf16, false, true>(
            o, operand<p_tile>(p, 0, step), operand<v_tile>(shared_.v[slot], 0, step),
            step != 0 || add);
    }
    arch::wgmma_commit();
    arch::wgmma_wait<0>();
    arch::keep_in_place(o);
  }

  // Through the place of the warp's queries, which nobody needs any more.
  TILE_DEVICE void store(float (&o)[size / 2]) {
    float inverse[2];
    softmax_.finish(inverse);
    shrink_rows(o, inverse);
    arch::barrier_sync(1 + warpgroup_, 128);
    stage_rows<q_tile>(shared_.q, o, warpgroup_ * 64 + row_);
    __syncwarp();
    const int first = first_query_ + row_;
    const std::int64_t at = static_cast<std::int64_t>(blockIdx.y) * args_.rows + first;
    store_rows<q_tile, 16>(static_cast<char*>(args_.o) + at * size * 2, shared_.q,
                           warpgroup_ * 64 + row_, args_.rows - first);
  }

  template <tile::OperandTile tile>
  TILE_DEVICE static std::uint64_t operand(const char* start, int row, int step) {
    return tile::operand_descriptor<tile>(start +
                                          tile::operand_start<tile>(row, step * tile.step_k()));
  }

  Shared& shared_;
  const AttentionArgs& args_;
  int warpgroup_, first_query_;
  int row_;  // of the warp within its warpgroup's 64
  OnlineSoftmax<config.folded> softmax_;
};

// A rung is a named type: struct WithTma : OneRole<config> {}.
template <class Rung>
__global__ void __launch_bounds__(OneRoleConfig::threads, Rung::config.blocks_per_sm)
    attention_one_role(const __grid_constant__ typename Rung::Params params) {
  Rung::run(params);
}

}  // namespace aisp::ch10
