// Plans attention with roles: tensor maps, the order of tiles, counters, launch.
#pragma once

#include <algorithm>

#include "tile/device/attention/forward_params.hpp"
#include "tile/device/attention/instances.hpp"
#include "tile/device/launch/launch.cuh"
#include "tile/device/launch/plan_memory.hpp"
#include "tile/kernel/attention_sm90.cuh"
#include "tile/kernel/transpose_values.cuh"

namespace aisp::tile::device {

template <class Recipe>
constexpr std::size_t attention_shared_bytes = sizeof(Sm90AttentionShared<Recipe::config>) + 1024;

inline constexpr int transposed_columns = 64;
struct TransposeStep {
  TransposeValues values;
  dim3 grid;
};

// Values with rows contiguous, in the plan's own memory.
template <Sm90AttentionConfig config>
TransposeStep plan_transpose(const AttentionProblem& p, AttentionParams& params,
                             PlanMemory& memory) {
  const int padded =
      (std::max(1, p.kv_rows) + transposed_rows - 1) / transposed_rows * transposed_rows;
  const std::int64_t heads = std::int64_t{p.batch} * p.kv_heads;
  auto* to = static_cast<char*>(memory.get(static_cast<std::size_t>(heads * p.head_size * padded)));
  constexpr OperandTile v = config.v_tile();
  const HeadTensor transposed{.data = to,
                              .element = p.v.element,
                              .row_stride = padded,
                              .head_stride = std::int64_t{p.head_size} * padded,
                              .batch_stride = std::int64_t{p.kv_heads} * p.head_size * padded};
  params.v = describe_heads(transposed, {padded, p.head_size, p.kv_heads, p.batch}, v.panel_width(),
                            v.rows, v.swizzle);
  return {
      .values = {static_cast<const char*>(p.v.data), p.v.row_stride, p.v.head_stride,
                 p.v.batch_stride, to, p.kv_rows, p.kv_heads, p.head_size, padded, p.kv_lengths},
      .grid = {static_cast<unsigned>(padded / transposed_rows),
               static_cast<unsigned>(p.head_size / transposed_columns),
               static_cast<unsigned>(heads)}};
}

// How tiles are given to blocks: one each, or to blocks that stay and take one after the other.
enum class AttentionSchedule { one_per_tile, persistent };

template <class Recipe>
Plan plan_with(const AttentionProblem& problem, const std::string& name, AttentionSchedule schedule,
               const Allocate& allocate) {
  constexpr Sm90AttentionConfig config = Recipe::config;
  PlanMemory memory(allocate);
  AttentionForward all{.params = attention_params(config, problem),
                       .tiles = tiles_of(problem, config.block_rows()),
                       .next = nullptr};
  const Kernel<AttentionForward> kernel{attention_forward<Recipe>, config.threads(),
                                        attention_shared_bytes<Recipe>};
  const int tiles = all.tiles.count(), fit = resident_clusters(kernel);
  const int blocks = schedule == AttentionSchedule::persistent && tiles > fit ? fit : tiles;
  if (blocks < tiles)  // counters
    all.next = static_cast<unsigned*>(memory.cleared(2 * sizeof(unsigned), 2 * sizeof(unsigned)));
  TransposeStep transpose{};
  if constexpr (config.fp8()) transpose = plan_transpose<config>(problem, all.params, memory);
  const auto run = [all, kernel, blocks, transpose, owned = memory.take()](cudaStream_t stream) {
    if constexpr (Recipe::config.fp8())
      transpose_values<transposed_columns><<<transpose.grid, 128, 0, stream>>>(transpose.values);
    launch(kernel, all, blocks, stream);
  };
  return {{name, {}}, run};
}

}  // namespace aisp::tile::device
