// Attention for Hopper: one warp loads, the math warpgroups multiply, each 64 rows of queries. The
// stream of blocks of keys does not end with a tile: the scores of the next tile's first block are
// computed beside the last product of this one.
#pragma once

#include "tile/arch/setmaxnreg.cuh"
#include "tile/arch/warp.cuh"
#include "tile/collective/attention/functions.cuh"
#include "tile/kernel/attention_load.cuh"

namespace aisp::tile {

// One block of keys in three steps, so that the order of the loop is all that a rung changes.
template <Sm90AttentionConfig config, class Functions>
class AttentionMath {
 public:
  static constexpr bool has_functions = !std::is_same_v<Functions, NoFunctions>;

  TILE_DEVICE AttentionMath(AttentionConsumer<config>& consumer, const AttentionParams& params,
                            const Functions& functions, int row)
      : consumer_(consumer), scaling_(params), hook_(functions), row_(row) {}

  TILE_DEVICE void enter(const AttentionTile& tile) {
    if constexpr (has_functions) hook_.enter(tile, thread_row());
    if constexpr (config.listed) return;
    first_clear_ = tile.first_clear(row_, config.block_keys);
    last_clear_ = tile.last_clear(row_, config.block_keys);
  }

  TILE_DEVICE void start_scores(const char* keys) {
    // Before the product: where that is done, all warps have read it, and one may release the slot.
    if constexpr (config.listed) entry_ = consumer_.entry();
    arch::keep_in_place(of.scores);
    arch::keep_in_place(of.out);
    arch::wgmma_fence();
    multiply_keys<config>(of.scores, consumer_.queries(), keys, row_);
    arch::wgmma_commit();
  }
  TILE_DEVICE void start_values(bool add) {
    const char* values = consumer_.wait_values();
    arch::wgmma_fence();
    multiply_values<config>(of, values, add);
    arch::wgmma_commit();
  }

  // Scores, whose products are done, become weights.
  TILE_DEVICE void weigh(OnlineSoftmax& softmax, const AttentionTile& tile, int block) {
    arch::keep_in_place(of.scores);
    consumer_.release_keys();
    if (block == 0) consumer_.leave_queries();
    if constexpr (has_functions)
      apply(config.listed ? block_of(entry_) : tile.first_block + block,
            !sees_all(entry_, row_ / 64));
    if constexpr (!config.listed)
      if (block < first_clear_ || block > last_clear_)
        mask_scores<config>(of.scores, tile, thread_row(),
                            (tile.first_block + block) * config.block_keys);
    scaling_.enter(tile, block);
    softmax.template weigh<polynomials()>(of.scores, score_scale(), softmax_slack(config),
                                          softmax_lift(config));
    consumer_.pin(softmax.lane_sum());
  }
  // Accumulators, whose products are done, count from the softmax's new top.
  TILE_DEVICE void correct(const OnlineSoftmax& softmax) {
    if (config.fp8() || softmax.moved())
      scale_out<config>(of.out, softmax.factor(0) * scaling_.correction(),
                        softmax.factor(1) * scaling_.correction());
  }
  TILE_DEVICE void end_values() {
    arch::wgmma_wait<0>();
    arch::keep_in_place(of.out);
    consumer_.release_values();
  }
  TILE_DEVICE const AttentionScaling<config>& scaling() const { return scaling_; }

  AttentionRegisters<config> of;

 private:
  // Functions on the scores of a block; `partly`: the rows do not see all of a listed one.
  TILE_DEVICE void apply(int block, bool partly) {
    const int first = block * config.block_keys;
    if (config.listed && arch::warp_uniform(partly))
      hook_.score_and_mask(of.scores, first);
    else
      hook_.score(of.scores, first);
  }
  TILE_DEVICE float score_scale() const {
    if constexpr (has_functions)
      return hook_.scale();
    else
      return scaling_.scores();
  }
  static TILE_FN int polynomials() {
    if constexpr (has_functions)
      return Functions::polynomials;
    else
      return 0;
  }
  TILE_DEVICE int thread_row() const {
    return row_ + warp_row() + wgmma_warp_accumulator(lane(), 0).row;
  }

  AttentionConsumer<config>& consumer_;
  AttentionScaling<config> scaling_;
  ScoreHook<config, Functions> hook_;
  int row_;  // the warpgroup's first
  int first_clear_ = 0, last_clear_ = 0;
  unsigned entry_ = 0;  // of a list: what it says of the block whose scores are under way
};

// The products of a block and of the one after it are under way together, from tile to tile. Only
// where this warpgroup's rows do not see a tile's first blocks there is a gap, and a new start.
template <Sm90AttentionConfig config, class Functions>
TILE_DEVICE void attend_overlapped(const AttentionForward& all, const Functions& functions,
                                   AttentionConsumer<config>& consumer,
                                   AttentionOutput<config>& output, int warpgroup) {
  AttentionMath<config, Functions> math(consumer, all.params, functions, warpgroup * 64);
  AttentionTurns<config> turns(warpgroup);
  OnlineSoftmax softmax;
  const AttentionTile* next = consumer.next_tile();
  if (next == nullptr) return;
  turns.start();
  for (int passed = 0; next != nullptr; passed = 1) {
    const AttentionTile* tile = next;
    consumer.pass_unseen(turns, passed);
    const char* keys = consumer.wait_keys();
    turns.wait();
    math.start_scores(keys);
    consumer.pass_unseen_values();
    turns.pass();
    arch::wgmma_wait<0>();
    softmax.start();
    math.enter(*tile);
    int block = consumer.blocks() - 1;
    math.weigh(softmax, *tile, block);
    pack_weights<config>(math.of);
    bool add = false;
    for (;;) {
      const bool ends = block == 0;
      if (ends) output.release();  // or the loader would wait for a place while it is waited for
      next = ends ? consumer.next_tile() : tile;
      if (next == nullptr || (ends && consumer.unseen() > 0)) break;
      block = ends ? consumer.blocks() - 1 : block - 1;
      keys = consumer.wait_keys();
      turns.wait();
      math.start_scores(keys);
      math.start_values(add);
      turns.pass();
      arch::wgmma_wait<1>();
      output.release();
      const OnlineSoftmax done = softmax;
      if (ends) {
        softmax.start();
        math.enter(*next);
      }
      math.weigh(softmax, *next, block);
      math.end_values();
      if (ends)
        output.store(math.of.out, done, *tile, math.scaling().values_before());
      else
        math.correct(softmax);
      pack_weights<config>(math.of);
      tile = next;
      add = !ends;
    }
    if (next != nullptr) consumer.wait_keys();  // the turn is that of the first block not seen
    turns.wait();
    arch::keep_in_place(math.of.out);
    math.start_values(add);
    if (next != nullptr)
      turns.pass();
    else
      turns.pass_for_good();
    math.end_values();
    output.store(math.of.out, softmax, *tile, math.scaling().values());
    if (next != nullptr) consumer.release_keys();
  }
}

// Every step waits for the one before it.
template <Sm90AttentionConfig config, class Functions>
TILE_DEVICE void attend_in_turn(const AttentionForward& all, const Functions& functions,
                                AttentionConsumer<config>& consumer,
                                AttentionOutput<config>& output, int warpgroup) {
  static_assert(!config.ping_pong, "warpgroups in turns overlap their products");
  AttentionMath<config, Functions> math(consumer, all.params, functions, warpgroup * 64);
  AttentionTurns<config> turns(warpgroup);
  OnlineSoftmax softmax;
  while (const AttentionTile* tile = consumer.next_tile()) {
    output.release();
    consumer.pass_unseen(turns, 0);
    consumer.pass_unseen_values();
    softmax.start();
    math.enter(*tile);
    for (int block = consumer.blocks() - 1; block >= 0; --block) {
      math.start_scores(consumer.wait_keys());
      arch::wgmma_wait<0>();
      math.weigh(softmax, *tile, block);
      const bool add = block < consumer.blocks() - 1;
      if (add) math.correct(softmax);
      pack_weights<config>(math.of);
      arch::keep_in_place(math.of.out);
      math.start_values(add);
      math.end_values();
    }
    output.store(math.of.out, softmax, *tile, math.scaling().values());
  }
}

template <Sm90AttentionConfig config, class Functions>
TILE_DEVICE void attention_math_role(const AttentionForward& all, const Functions& functions,
                                     Sm90AttentionShared<config>& shared, int warpgroup) {
  AttentionOutput<config> output(shared, all.params, warpgroup);
  AttentionConsumer<config> consumer(shared, warpgroup * 64);
  if constexpr (config.overlapped)
    attend_overlapped<config>(all, functions, consumer, output, warpgroup);
  else
    attend_in_turn<config>(all, functions, consumer, output, warpgroup);
  output.finish();
}

// A recipe of its own name (a type with the members `config` and `Functions`) gives the kernel a
// name that a profile can show.
template <Sm90AttentionConfig config_, class Functions_ = NoFunctions>
struct Sm90AttentionRecipe {
  static constexpr Sm90AttentionConfig config = config_;
  using Functions = Functions_;
};

// What one block of a kernel does; `lists` is read where blocks are listed.
template <class Recipe>
TILE_DEVICE void attend(const AttentionForward& all, const typename Recipe::Functions& functions,
                        const AttentionLists& lists) {
  constexpr Sm90AttentionConfig config = Recipe::config;
  static_assert(sizeof(Sm90AttentionShared<config>) + 1024 <= config.shared_bytes());
  extern __shared__ char raw[];
  auto& shared = *reinterpret_cast<Sm90AttentionShared<config>*>(
      (reinterpret_cast<std::uintptr_t>(raw) + 1023) & ~std::uintptr_t{1023});
  const int warp = arch::warp_uniform(static_cast<int>(threadIdx.x) / 32);
  if (warp == 0 && arch::elect_one()) {
    arch::mbarrier_init(&shared.tail, 1);
    QueryRing<config>::init(shared.queries);
    KeyRing<config>::init(shared.keys);
    ValueRing<config>::init(shared.values);
  }
  __syncthreads();
  if (warp < 4) {
    arch::warpgroup_reg_dealloc<config.loader_registers()>();
    if (warp == 0) attention_load_role<config>(all, lists, shared);
  } else {
    arch::warpgroup_reg_alloc<config.math_registers()>();
    attention_math_role<config>(all, functions, shared, warp / 4 - 1);
  }
}

template <class Recipe>
__global__ void __launch_bounds__(Recipe::config.threads(), 1)
    attention_forward(const __grid_constant__ AttentionForward all) {
  attend<Recipe>(all, NoFunctions{}, AttentionLists{});
}

}  // namespace aisp::tile
