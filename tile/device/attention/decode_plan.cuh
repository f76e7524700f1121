// From an attention problem with few queries to launches of the decode kernel: how many blocks read
// the keys, whether heads are cut between them, and the memory for what is then combined.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "tile/device/attention/head_map.hpp"
#include "tile/device/attention/instances.hpp"
#include "tile/device/launch/launch.cuh"
#include "tile/device/launch/plan_memory.hpp"
#include "tile/kernel/attention_decode.cuh"

namespace aisp::tile::device {

// Keys or values to TMA, in boxes of 64 columns and `box_rows` rows of one head.
inline CUtensorMap decode_map(const HeadTensor& tensor, const AttentionProblem& p, int box_rows) {
  HeadExtents extent{p.head_size, p.kv_rows, p.kv_heads, p.batch};
  if (p.page_table != nullptr)
    extent.rows = p.page_rows, extent.batch = p.pages;
  else if (p.kv_starts != nullptr)
    extent.rows = p.kv_total, extent.batch = 1;
  return describe_heads(tensor, extent, DecodeConfig::panel_columns, box_rows,
                        SwizzleMode::bytes_128);
}

// Rows of a tile of 16 go to one warp, or to four that divide the keys.
inline int decode_key_groups(int rows) { return rows <= 16 ? 4 : rows <= 32 ? 2 : 1; }

// Cutting heads makes all blocks end together, and costs a second launch. It is left out where
// heads are too short to be cut, and where each block has so many of them that one more or less
// hardly counts.
inline bool decode_whole_heads(std::int64_t heads, int tiles_per_head, int blocks) {
  return tiles_per_head <= least_decode_tiles || heads >= 16 * static_cast<std::int64_t>(blocks);
}

// The problem as the kernels see it, without workspace.
inline DecodeProblem decode_problem(const AttentionProblem& p) {
  const bool packed = p.query_starts != nullptr;
  const int group = p.query_heads / p.kv_heads;
  const int rows = p.query_rows * group;
  // As far as no sequence reaches; larger numbers would overflow when added up.
  const auto bound = [&](int window) {
    const int far = p.kv_rows + p.query_rows;
    return window == unlimited ? far : std::min(window, far);
  };
  const auto heads = [](const HeadTensor& tensor) {
    return DecodeHeads{static_cast<char*>(const_cast<void*>(tensor.data)), tensor.row_stride,
                       tensor.head_stride, tensor.batch_stride};
  };
  const double scale = p.scale != 0 ? p.scale : 1 / std::sqrt(static_cast<double>(p.head_size));
  DecodeProblem problem{};
  problem.work.sequences = {.query_rows = p.query_rows,
                            .kv_rows = p.kv_rows,
                            .heads_per_kv_head = group,
                            .window_left = bound(p.window_left),
                            .window_right = bound(p.window_right),
                            .query_starts = p.query_starts,
                            .kv_starts = p.kv_starts,
                            .kv_lengths = p.kv_lengths};
  problem.work.batch = p.batch;
  problem.work.kv_heads = p.kv_heads;
  problem.rows = rows;
  problem.key_groups = decode_key_groups(rows);
  problem.q = heads(p.q);
  problem.o = heads(p.o);
  problem.scale = static_cast<float>(scale * 1.4426950408889634);  // log2(e)
  problem.log_sum_exp = p.log_sum_exp;
  problem.log_head_stride = packed ? p.query_total : p.query_rows;
  problem.log_batch_stride = static_cast<std::int64_t>(p.query_heads) * p.query_rows;
  return problem;
}

inline DecodePages decode_pages(const AttentionProblem& p) {
  if (p.page_table == nullptr) return {nullptr, 0, 0, 0, decode_tile_keys};
  return {.table = p.page_table,
          .page_rows = p.page_rows,
          .pages_per_sequence = p.pages_per_sequence,
          .pages = static_cast<int>(p.pages),
          .box_rows = std::gcd(p.page_rows, decode_tile_keys)};
}

// Its blocks come while the last of the kernel ahead are still at work, and wait for them.
inline void launch_combine(const CombineParams& params, cudaStream_t stream) {
  const DecodeWork& work = params.problem.work;
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = {static_cast<unsigned>(work.batch * work.kv_heads),
                    static_cast<unsigned>(params.problem.rows), 1};
  constexpr int warps = 4;
  launch.blockDim = 32 * warps;
  launch.stream = stream;
  launch.attrs = &early;
  launch.numAttrs = 1;
  check_cuda(cudaLaunchKernelEx(&launch, attention_combine<warps>, params),
             "launch of attention_combine");
}

template <class Recipe>
AttentionPlan plan_decode_of(const AttentionProblem& problem, const Allocate& allocate) {
  constexpr DecodeConfig config = Recipe::config;
  DecodeParams params{};
  params.problem = decode_problem(problem);
  params.pages = decode_pages(problem);
  if (problem.kv_rows > 0) {
    params.k = decode_map(problem.k, problem, params.pages.box_rows);
    params.v = decode_map(problem.v, problem, params.pages.box_rows);
  }
  const Kernel<DecodeParams> kernel{attention_decode<Recipe>, config.threads(),
                                    decode_shared_bytes<config>};
  DecodeWork& work = params.problem.work;
  const int tiles_per_head = std::max(
      1,
      static_cast<int>((problem.kv_rows + std::int64_t{decode_tile_keys} - 1) / decode_tile_keys));
  const std::int64_t heads = static_cast<std::int64_t>(problem.batch) * problem.kv_heads;
  if (heads * tiles_per_head > std::numeric_limits<int>::max())
    base::refuse(base::Exit::usage, "attention: ", problem.batch, " sequences with ",
                 problem.kv_heads, " heads of ", problem.kv_rows,
                 " keys are too many for one call: make it 2^31 / ", decode_tile_keys,
                 " keys in all at most");
  work.blocks =
      static_cast<int>(std::min<std::int64_t>(resident_clusters(kernel), heads * tiles_per_head));
  work.whole = decode_whole_heads(heads, tiles_per_head, work.blocks);

  PlanMemory memory(allocate);
  if (!work.whole) {
    const std::size_t slots = 2 * static_cast<std::size_t>(work.blocks * params.problem.rows);
    const std::size_t accumulators = slots * sizeof(float) * config.head_size;
    char* const workspace = static_cast<char*>(memory.get(accumulators + slots * sizeof(float2)));
    params.problem.partial_accumulators = reinterpret_cast<float*>(workspace);
    params.problem.partial_weights = reinterpret_cast<float2*>(workspace + accumulators);
  }
  auto run = [params, kernel, owned = memory.take()](cudaStream_t stream) {
    const DecodeWork& launched = params.problem.work;
    launch(kernel, params, launched.blocks, stream);
    if (!launched.whole)
      launch_combine({params.problem, Recipe::config.head_size, Recipe::config.element}, stream);
  };
  return {base::say("decode_d", config.head_size, work.whole ? "" : "_split"), std::move(run)};
}

}  // namespace aisp::tile::device
