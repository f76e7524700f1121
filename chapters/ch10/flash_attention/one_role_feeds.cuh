// How queries, keys and values get into the shared memory of a block without roles: all threads
// copy by cp.async, or one of them asks TMA. The verbs are the same: wait for the next block of
// keys, ask for one more, release the slot.
#pragma once

#include <type_traits>

#include "chapters/ch10/common/attention_args.hpp"
#include "chapters/ch10/common/attention_rows.cuh"
#include "tile/arch/cp_async.cuh"
#include "tile/arch/tma.cuh"
#include "tile/pipeline/tma_ring.cuh"

namespace aisp::ch10 {

struct CpAsyncParams {
  AttentionArgs args;
};
struct TmaParams {
  CUtensorMap q, k, v;
  AttentionArgs args;
};

struct OneRoleConfig {
  static constexpr int threads = 256, block_m = 128;  // two warpgroups of 64 queries
  int head_size = 128;
  int block_n = 128;  // keys at a time
  int stages = 2;     // blocks of keys and values in shared memory
  int blocks_per_sm = 1;
  bool register_p = false;  // weights stay in registers, else they go through shared memory
  bool folded = false;      // scale and log2(e) in one multiply-add
  bool tma = false;
};

template <OneRoleConfig config>
struct OneRoleShared {
  struct Weights {
    alignas(1024) char of[2][64 * config.block_n * 2];
  };
  struct None {};
  alignas(1024) char q[OneRoleConfig::block_m * config.head_size * 2];
  alignas(1024) char k[config.stages][config.block_n * config.head_size * 2];
  alignas(1024) char v[config.stages][config.block_n * config.head_size * 2];
  std::conditional_t<config.register_p, None, Weights> p;
  tile::TmaRingBarriers<config.stages> ring;
  arch::MBarrier q_landed;
};

// Copies of all threads, one block of keys ahead of the products.
template <OneRoleConfig config>
class CpAsyncFeed {
  static_assert(config.stages == 2, "the block's barrier frees a slot: one is read, one is filled");

 public:
  using Params = CpAsyncParams;

  TILE_DEVICE CpAsyncFeed(OneRoleShared<config>& shared, const Params& params, int blocks)
      : shared_(shared), args_(params.args), blocks_(blocks) {
    copy_rows<rows_tile(OneRoleConfig::block_m, config.head_size), OneRoleConfig::threads>(
        shared_.q, head_of(args_.q, static_cast<int>(blockIdx.y), args_.rows, config.head_size),
        static_cast<int>(blockIdx.x) * OneRoleConfig::block_m, args_.rows);
    copy(0);
  }

  TILE_DEVICE int wait(int block) {
    arch::cp_async_wait<0>();
    arch::fence_async_shared();  // wgmma reads what ordinary copies wrote
    __syncthreads();             // everybody's copies; and nobody reads the other slot any more
    if (block + 1 < blocks_) copy(block + 1);
    return block % 2;
  }
  TILE_DEVICE void ask(int) {}
  TILE_DEVICE void release(int) {}

 private:
  TILE_DEVICE void copy(int block) {
    constexpr auto tile = rows_tile(config.block_n, config.head_size);
    const int kv_head = static_cast<int>(blockIdx.y) / args_.sharing, key = block * config.block_n;
    copy_rows<tile, OneRoleConfig::threads>(shared_.k[block % 2],
                                            head_of(args_.k, kv_head, args_.rows, config.head_size),
                                            key, args_.rows);
    copy_rows<tile, OneRoleConfig::threads>(shared_.v[block % 2],
                                            head_of(args_.v, kv_head, args_.rows, config.head_size),
                                            key, args_.rows);
    arch::cp_async_commit();
  }

  OneRoleShared<config>& shared_;
  const AttentionArgs& args_;
  int blocks_;
};

// A ring of slots with a block of keys and its values each. The first thread asks for the block
// that is stages - 1 ahead, as soon as both warpgroups have left the slot.
template <OneRoleConfig config>
class TmaFeed {
  static constexpr int q_bytes = OneRoleConfig::block_m * config.head_size * 2;
  static constexpr int block_bytes = 2 * config.block_n * config.head_size * 2;
  using Ring = tile::TmaRing<config.stages, 2>;

 public:
  using Params = TmaParams;

  TILE_DEVICE TmaFeed(OneRoleShared<config>& shared, const Params& params, int blocks)
      : shared_(shared), params_(params), blocks_(blocks), ring_(shared.ring, {}) {
    if (threadIdx.x == 0) {
      arch::mbarrier_init(&shared_.q_landed, 1);
      Ring::init(shared_.ring);
      arch::mbarrier_arrive_expect(&shared_.q_landed, q_bytes);
      load(shared_.q, &params_.q, &shared_.q_landed,
           static_cast<int>(blockIdx.x) * OneRoleConfig::block_m, static_cast<int>(blockIdx.y),
           OneRoleConfig::block_m);
    }
    __syncthreads();
    for (int block = 0; block < config.stages - 1; ++block) load_block(block);
    arch::mbarrier_wait(&shared_.q_landed, 0);
  }

  TILE_DEVICE int wait(int block) {
    if constexpr (config.stages == 1) load_block(block);  // load, wait, compute
    ring_.wait(state(block, 0));
    return block % config.stages;
  }
  TILE_DEVICE void ask(int block) {
    if constexpr (config.stages > 1) load_block(block + config.stages - 1);
  }
  TILE_DEVICE void release(int block) { ring_.release(state(block, 0)); }

 private:
  // Lap by lap the phase alternates; a writer's is one ahead.
  TILE_DEVICE static tile::RingState<config.stages> state(int block, int ahead) {
    return {block % config.stages, static_cast<unsigned>(block / config.stages + ahead) & 1u};
  }
  TILE_DEVICE void load_block(int block) {
    if (threadIdx.x != 0 || block >= blocks_) return;
    const int key = block * config.block_n, slot = block % config.stages;
    const int head = static_cast<int>(blockIdx.y) / params_.args.sharing;
    ring_.acquire(state(block, 1));
    auto* landed = ring_.commit(state(block, 1), block_bytes);
    load(shared_.k[slot], &params_.k, landed, key, head, config.block_n);
    load(shared_.v[slot], &params_.v, landed, key, head, config.block_n);
  }
  // Rows from `row` on in boxes of 64 columns; TMA writes zeros past the last row.
  TILE_DEVICE static void load(char* to, const CUtensorMap* map, arch::MBarrier* landed, int row,
                               int head, int lines) {
#pragma unroll
    for (int box = 0; box < config.head_size / 64; ++box)
      arch::tma_load(to + box * lines * 128, map, landed, box * 64, row, head);
  }

  OneRoleShared<config>& shared_;
  const Params& params_;
  int blocks_;
  Ring ring_;
};

template <OneRoleConfig config>
using FeedOf = std::conditional_t<config.tma, TmaFeed<config>, CpAsyncFeed<config>>;

}  // namespace aisp::ch10
