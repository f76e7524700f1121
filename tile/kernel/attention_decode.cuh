// Attention of few queries to many keys: every block reads an equal range of all keys and values,
// as fast as memory gives them. Heads that were cut between blocks are put together by a second
// kernel.
#pragma once

#include "tile/arch/pdl.cuh"
#include "tile/arch/warp.cuh"
#include "tile/collective/decode/loader.cuh"
#include "tile/collective/decode/store.cuh"

namespace aisp::tile {

// Dynamic shared memory to ask for: it starts at a multiple of 16 only.
template <DecodeConfig config>
constexpr std::size_t decode_shared_bytes = sizeof(DecodeShared<config>) + 1024;

// A kernel's name cannot hold a configuration, but a type that has one.
template <Element element, int head_size, class Functions_ = NoFunctions>
struct DecodeRecipe {
  static constexpr DecodeConfig config{element, head_size};
  using Functions = Functions_;
};

template <DecodeConfig config, class Functions>
TILE_DEVICE void decode_math(const DecodeProblem& problem, const Functions& functions,
                             DecodeShared<config>& shared, int index) {
  DecodeWarp<config, Functions> warp(problem, functions, index);
  DecodeStore<config, Functions> store(problem, shared);
  DecodeScheduler scheduler(problem.work, static_cast<int>(blockIdx.x));
  RingState<config.slots()> k_at = RingState<config.slots()>::reader();
  DecodeSegment segment;
  while (scheduler.next(segment)) {
    warp.start(segment);
    for (int tile = segment.first_tile; tile < segment.last_tile; ++tile) {
      auto v_at = k_at;
      ++v_at;
      const auto wait = [&](auto at) {
        arch::mbarrier_wait(&shared.full[at.slot], at.phase);
        return arch::shared_address(shared.slots[at.slot]);
      };
      warp.attend(segment.of, tile, wait(k_at), [&] { return wait(v_at); });
      __syncwarp();  // all lanes have read both
      if (warp.lane() == 0) {
        arch::mbarrier_arrive(&shared.empty[k_at.slot]);
        arch::mbarrier_arrive(&shared.empty[v_at.slot]);
      }
      k_at += 2;
    }
    store.store(warp, segment);
  }
}

// What one block of a kernel does.
template <class Recipe>
TILE_DEVICE void decode(const DecodeParams& params, const typename Recipe::Functions& functions) {
  constexpr DecodeConfig config = Recipe::config;
  static_assert(decode_shared_bytes<config> <= config.shared_bytes());
  extern __shared__ char raw[];
  auto& shared = *reinterpret_cast<DecodeShared<config>*>(
      raw + (1024 - arch::shared_address(raw) % 1024) % 1024);
  if (threadIdx.x == 0) {
    for (int slot = 0; slot < config.slots(); ++slot) {
      arch::mbarrier_init(&shared.full[slot], 1);
      arch::mbarrier_init(&shared.empty[slot], DecodeConfig::math_warps);
    }
    arch::fence_mbarrier_init();
  }
  __syncthreads();

  const int warp = arch::warp_uniform(static_cast<int>(threadIdx.x) / 32);
  if (warp < DecodeConfig::math_warps) {
    decode_math<config>(params.problem, functions, shared, warp);
    return;
  }
  DecodeLoader<config> loader(params, shared);
  DecodeScheduler scheduler(params.problem.work, static_cast<int>(blockIdx.x));
  DecodeSegment segment;
  while (scheduler.next(segment)) loader.load(segment);
  // The second kernel may take its place as soon as there is one.
  arch::launch_dependents();
}

template <class Recipe>
__global__ void __launch_bounds__(Recipe::config.threads(), Recipe::config.blocks_per_sm())
    attention_decode(const __grid_constant__ DecodeParams params) {
  decode<Recipe>(params, NoFunctions{});
}

inline constexpr int longest_head = 256;

// One block for each row (y) of each head of keys and values (x, sequence by sequence). Heads that
// one block has read are finished already.
template <int combine_warps>
TILE_DEVICE void combine(const CombineParams& params) {
  __shared__ float joined[combine_warps][longest_head];  // (HEAD, WARPS)
  const DecodeProblem& problem = params.problem;
  const DecodeWork& work = problem.work;
  const int sequence = static_cast<int>(blockIdx.x) / work.kv_heads;
  const int kv_head = static_cast<int>(blockIdx.x) % work.kv_heads;
  const int row = static_cast<int>(blockIdx.y);
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;

  const DecodeSequence of = find_sequence(work.sequences, sequence);
  const DecodeTotals totals = count_tiles(work, sequence);
  const DecodeRanges ranges = divide_tiles(totals.all, work.blocks);
  const int begin = totals.before + kv_head * of.tiles;
  // By every block: whoever comes next in the stream relies on the kernel ahead being done, too.
  arch::wait_for_primary();
  if (row >= rows_of(work, of)) return;
  const int first = ranges.holder(begin), last = ranges.holder(begin + of.tiles - 1);
  if (first == last) return;

  // A block's first segment is in its slot 0, its last in slot 1; this head is the first of all
  // its blocks but perhaps of the one that it begins in.
  const auto slot_row = [&](int block) {
    const int slot = 2 * block + (block == first && ranges.begin(block) < begin ? 1 : 0);
    return static_cast<std::int64_t>(slot) * problem.rows + row;
  };
  float top = -INFINITY, weight = 0;
  for (int block = first + lane; block <= last; block += 32)
    top = fmaxf(top, problem.partial_weights[slot_row(block)].x);
  for (int step = 16; step > 0; step /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, step));
  const float base = top == -INFINITY ? 0.0f : top;

  float accumulators[longest_head / 32] = {};  // (HEAD / 32)
#pragma unroll 4
  for (int block = first + warp; block <= last; block += combine_warps) {
    const std::int64_t at = slot_row(block);
    const float factor = arch::exp2_approximate(problem.partial_weights[at].x - base);
#pragma unroll
    for (int i = 0; i < longest_head / 32; ++i)
      if (32 * i < params.head_size)
        accumulators[i] +=
            factor * problem.partial_accumulators[at * params.head_size + 32 * i + lane];
  }
  for (int block = first + lane; block <= last; block += 32) {
    const float2 partial = problem.partial_weights[slot_row(block)];
    weight += partial.y * arch::exp2_approximate(partial.x - base);
  }
  for (int step = 16; step > 0; step /= 2) weight += __shfl_xor_sync(0xffffffff, weight, step);
#pragma unroll
  for (int i = 0; i < longest_head / 32; ++i) joined[warp][32 * i + lane] = accumulators[i];
  __syncthreads();

  const DecodeRow coord = decode_row(work, kv_head, row);
  const int column = 2 * static_cast<int>(threadIdx.x);
  if (column < params.head_size) {
    float2 pair{};
    for (int other = 0; other < combine_warps; ++other) {
      pair.x += joined[other][column];
      pair.y += joined[other][column + 1];
    }
    const float inverse = weight > 0 ? 1 / weight : 0;
    char* const to = problem.o.row(work.sequences.packed() ? 0 : sequence, coord.head,
                                   of.query_start + coord.query);
    reinterpret_cast<std::uint32_t*>(to)[column / 2] =
        params.element == Element::bf16 ? arch::pack_bf16(pair.x * inverse, pair.y * inverse)
                                        : arch::pack_f16(pair.x * inverse, pair.y * inverse);
  }
  if (threadIdx.x == 0 && problem.log_sum_exp != nullptr)
    store_log_sum(problem, sequence, of, coord, top, weight);
}

template <int combine_warps>
__global__ void __launch_bounds__(32 * combine_warps)
    attention_combine(const __grid_constant__ CombineParams params) {
  combine<combine_warps>(params);
}

}  // namespace aisp::tile
