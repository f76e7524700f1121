// Attention for Blackwell, after FlashAttention-4. One thread issues all products, one warp loads;
// each tile of 128 queries has a warpgroup whose threads turn a row of scores into weights, and
// another warpgroup corrects and stores the outputs. Scores, weights and outputs are in tensor
// memory: what goes between the roles is barriers, and one number for a row.
#pragma once

#include "tile/arch/setmaxnreg.cuh"
#include "tile/collective/attention/output_sm100.cuh"
#include "tile/collective/attention/products_sm100.cuh"
#include "tile/kernel/attention_key_blocks.cuh"

namespace aisp::tile {

// One block's view of the kernel; its functions are the roles.
template <Sm100AttentionConfig config>
struct Sm100AttentionRoles {
  static constexpr Sm90AttentionConfig operands = config.operands();
  using Shared = Sm100AttentionShared<config>;

  const AttentionForward& all;
  Shared& shared;

  // By one warp. Copies are asked for in the order in which they are needed: the keys of a block
  // before the values of the block ahead of it.
  TILE_DEVICE void load() {
    KeyValueLoader<operands, Shared> loader(shared, all.params);
    AttentionKeyBlocks<config> blocks(all);
    RingState<1> at[config.query_tiles];
    for (RingState<1>& one : at) one = RingState<1>::writer();
    while (blocks.advance()) {
      const AttentionTile& of = blocks.tile();
      const int block = blocks.block();
#pragma unroll
      for (int tile = 0; tile < config.query_tiles; ++tile)
        if (blocks.starts(tile)) load_queries(of, tile, at[tile]);
      loader.load_keys(of, block);
      if (block + 1 < of.first_block + of.blocks) loader.load_values(of, block + 1);
      if (block == of.first_block) loader.load_values(of, block);
    }
  }

  // By one thread. The scores of a tile's next block are computed behind the product of its weights
  // and values, whose place in tensor memory they take: products of one thread run in order. Blocks
  // follow each other across tiles without a gap.
  TILE_DEVICE void issue() {
    Sm100AttentionProducts<config> products(shared);
    AttentionKeyBlocks<config> blocks(all);
    // Tiles whose scores of the block before have been asked for, and whose outputs have not.
    bool pending[config.query_tiles] = {}, add[config.query_tiles];
    for (bool values = false, keys = true; keys; values = keys) {
      keys = blocks.advance();
      if (values) products.wait_values();
      if (keys) products.wait_keys();
#pragma unroll
      for (int tile = 0; tile < config.query_tiles; ++tile) {
        if (pending[tile]) products.multiply_values(tile, add[tile]);
        pending[tile] = keys && blocks.seen_by(tile);
        add[tile] = !blocks.starts(tile);
        if (pending[tile]) products.multiply_keys(tile, blocks.starts(tile), blocks.ends(tile));
      }
      if (values) products.release_values();
      if (keys) products.release_keys();
    }
  }

  // By the tile's four warps.
  TILE_DEVICE void softmax(int tile) {
    const int row = tile * config.tile_rows + static_cast<int>(threadIdx.x) % 128;
    auto& factors = shared.factors[tile];
    Sm100AttentionOutput<config> output(shared, tile);
    RowSoftmax<config> rows;
    RingState<1> at = RingState<1>::reader(), told = RingState<1>::writer();
    const auto tell = [&](float number) {
      arch::mbarrier_wait(&factors.empty, told.phase);  // the one before has been read
      factors.of_row[threadIdx.x % 128] = number;
      arrive_as_warp(&factors.full);
      ++told;
    };
    AttentionKeyBlocks<config> blocks(all);
    while (blocks.advance()) {
      if (!blocks.seen_by(tile)) continue;
      if (blocks.starts(tile)) rows.start();
      arch::mbarrier_wait(&shared.scores[tile], at.phase);
      arch::tcgen05_fence_after_sync();
      rows.load(shared.scores_of(tile));
      mask(rows, blocks, tile, row);
      const float factor = rows.raise(all.params.scale_log2);
      if (!blocks.starts(tile)) {
        if constexpr (config.correction)
          tell(factor);
        else
          output.correct(factor);
      }
#pragma unroll
      for (int part = 0; part < config.weight_parts; ++part) {
#pragma unroll
        for (int chunk = config.first_chunk(part); chunk < config.end_chunk(part); ++chunk)
          rows.weigh(chunk, shared.weights_of(tile));
        arch::tmem_wait_stores();
        arch::tcgen05_fence_before_sync();
        arrive_as_warp(&shared.weights[tile][part]);
      }
      ++at;
      if (!blocks.ends(tile)) continue;
      const OutputRow to = output_row<operands>(all.params, blocks.tile(), row);
      if (to.log_sum_exp != nullptr) *to.log_sum_exp = rows.log_sum_exp();
      if constexpr (config.correction)
        tell(rows.sum());
      else
        output.store(to.data, rows.sum());
    }
  }

  // By four warps, for all tiles.
  TILE_DEVICE void correct() {
    Sm100AttentionOutput<config> outputs[config.query_tiles] = {{shared, 0}, {shared, 1}};
    RingState<1> at[config.query_tiles] = {};
    const auto told = [&](int tile) {
      auto& factors = shared.factors[tile];
      arch::mbarrier_wait(&factors.full, at[tile].phase);
      const float number = factors.of_row[threadIdx.x % 128];
      arrive_as_warp(&factors.empty);
      ++at[tile];
      return number;
    };
    AttentionKeyBlocks<config> blocks(all);
    while (blocks.advance())
#pragma unroll
      for (int tile = 0; tile < config.query_tiles; ++tile) {
        if (!blocks.seen_by(tile)) continue;
        if (!blocks.starts(tile)) outputs[tile].correct(told(tile));
        if (!blocks.ends(tile)) continue;
        const int row = tile * config.tile_rows + static_cast<int>(threadIdx.x) % 128;
        const float sum = told(tile);
        outputs[tile].store(output_row<operands>(all.params, blocks.tile(), row).data, sum);
      }
  }

  // By one warp: rows of which no other role hears, because they see no key.
  TILE_DEVICE void store_zeros() {
    AttentionKeyBlocks<config> blocks(all);
    while (blocks.next_tile())
      for (int tile = 0; tile < config.query_tiles; ++tile) {
        if (blocks.sees_any(tile)) continue;
#pragma unroll 1
        for (int i = 0; i < config.tile_rows; ++i) {
          const OutputRow to =
              output_row<operands>(all.params, blocks.tile(), tile * config.tile_rows + i);
          if (to.data == nullptr) break;
          for (int at = static_cast<int>(threadIdx.x) % 32; at < config.head_size / 2; at += 32)
            reinterpret_cast<std::uint32_t*>(to.data)[at] = 0;
          if (to.log_sum_exp != nullptr && threadIdx.x % 32 == 0) *to.log_sum_exp = -INFINITY;
        }
      }
  }

 private:
  TILE_DEVICE void load_queries(const AttentionTile& of, int tile, RingState<1>& at) {
    constexpr OperandTile q = operands.q_tile();
    Tcgen05Ring<1> ring(shared.queries[tile], {});
    ring.acquire(at);  // the last product with those before is done
    if (arch::elect_one()) {
      arch::MBarrier* full = ring.commit(at, q.bytes());
#pragma unroll
      for (int panel = 0; panel < q.panels(); ++panel)
        arch::tma_load(shared.q[tile] + line_start<q>(0, panel), &all.params.q, full,
                       panel * q.panel_width(),
                       of.query_start + of.first_row + tile * config.tile_rows, of.head,
                       is_packed<operands>(all.params) ? 0 : of.sequence);
    }
    __syncwarp();
    ++at;
  }

  TILE_DEVICE static void mask(RowSoftmax<config>& rows, const AttentionKeyBlocks<config>& blocks,
                               int tile, int row) {
    const AttentionTile& of = blocks.tile();
    if (of.all_see(tile * config.tile_rows, config.tile_rows, blocks.block(), config.block_keys))
      return;
    const int at = of.first_row + row, first = blocks.block() * config.block_keys;
    rows.mask(at + of.low - first, smaller(at + of.high, of.keys - 1) - first);
  }
};

// A recipe of its own name (derived from this) gives the kernel a name that a profile can show.
template <Sm100AttentionConfig config_>
struct Sm100AttentionRecipe {
  static constexpr Sm100AttentionConfig config = config_;
};

// Dynamic shared memory to ask for: buffers start at a multiple of 1 KiB.
template <Sm100AttentionConfig config>
constexpr int sm100_attention_shared_bytes = sizeof(Sm100AttentionShared<config>) + 1024;

// All threads of the block.
TILE_DEVICE void sm100_attention_meet() {
  arch::tcgen05_fence_before_sync();
  __syncthreads();
  arch::tcgen05_fence_after_sync();
}

template <class Recipe>
__global__ void __launch_bounds__(Recipe::config.threads(), 1)
    attention_sm100(const __grid_constant__ AttentionForward all) {
  constexpr Sm100AttentionConfig config = Recipe::config;
  using Shared = Sm100AttentionShared<config>;
  constexpr int budget = arch::limits_of(100).shared_per_block;
  static_assert(
      rules::kept<true, rules::SharedMemory<sm100_attention_shared_bytes<config>, budget>>());
  static_assert(admitted_tmem<config.tmem()>);
  extern __shared__ char raw[];
  auto& shared = *reinterpret_cast<Shared*>((reinterpret_cast<std::uintptr_t>(raw) + 1023) &
                                            ~std::uintptr_t{1023});
  const int warp = arch::warp_uniform(static_cast<int>(threadIdx.x) / 32);
  if (warp == config.load_warp() && arch::elect_one()) shared.init();
  __syncwarp();
  if (warp == config.issue_warp()) {
    arch::tmem_alloc<1>(&shared.tmem, config.tmem().allocation());
    arch::tmem_relinquish<1>();
  }
  sm100_attention_meet();

  Sm100AttentionRoles<config> roles{all, shared};
  if (warp < config.softmax_warps()) {
    if constexpr (config.moves_registers()) arch::warpgroup_reg_alloc<config.softmax_registers()>();
    roles.softmax(warp / 4);
  } else if (warp < config.issue_warp()) {
    if constexpr (config.correction) {
      arch::warpgroup_reg_dealloc<config.correction_registers>();
      roles.correct();
    }
  } else {
    if constexpr (config.moves_registers()) arch::warpgroup_reg_dealloc<config.few_registers>();
    if (warp == config.issue_warp()) {
      if (arch::elect_one()) roles.issue();
    } else if (warp == config.load_warp()) {
      roles.load();
    } else if (warp == config.zero_warp()) {
      roles.store_zeros();
    }
  }
  __syncwarp();
  sm100_attention_meet();
  if (warp == config.issue_warp()) arch::tmem_dealloc<1>(shared.tmem, config.tmem().allocation());
}

}  // namespace aisp::tile
