// The host's side of a rung: the cache as the library's attention problem, slices for the blocks,
// memory for what is combined, and the two launches.
#pragma once

#include <algorithm>

#include "chapters/ch11/kv_prefetch_pipeline/paged_cache.hpp"
#include "chapters/ch11/kv_prefetch_pipeline/tiles.cuh"
#include "lab/case/per_buffers.hpp"
#include "lab/case/range.hpp"
#include "tile/device/attention/plan_decode.cuh"

namespace aisp::ch11::kv {

using tile::device::AttentionProblem;

inline AttentionProblem attention_of(const lab::Launch& launch, const std::int32_t* table) {
  const CacheShape shape = cache_shape(launch.problem.size);
  const auto number = [](std::int64_t extent) { return static_cast<int>(extent); };
  const std::int64_t size = shape.head_size;
  AttentionProblem problem{.batch = number(shape.batch),
                           .query_heads = number(shape.heads),
                           .kv_heads = number(shape.kv_heads),
                           .query_rows = 1,
                           .kv_rows = number(shape.keys),
                           .head_size = number(size)};
  problem.q = {.data = launch.in<void>(0),
               .row_stride = size,
               .head_stride = size,
               .batch_stride = shape.heads * size};
  problem.o = problem.q;
  problem.o.data = launch.out<void>(0);
  problem.k = {.data = launch.in<void>(1),
               .row_stride = size,
               .head_stride = shape.page * size,
               .batch_stride = shape.kv_heads * shape.page * size};
  problem.v = problem.k;
  problem.v.data = launch.in<void>(2);
  problem.page_table = table;
  problem.page_rows = number(shape.page);
  problem.pages_per_sequence = number(shape.pages_per_sequence());
  problem.pages = shape.pages();
  return problem;
}

inline const std::int32_t* upload_table(lab::Setup& setup, const CacheShape& shape) {
  const auto table = page_table(shape);
  const std::size_t bytes = table.size() * sizeof(std::int32_t);
  auto* memory = static_cast<std::int32_t*>(setup.kept(bytes, "a table uploaded once"));
  lab::check_cuda(cudaMemcpy(memory, table.data(), bytes, cudaMemcpyHostToDevice), "page table");
  return memory;
}

inline Pages pages_of(const AttentionProblem& attention) {
  return {.table = attention.page_table,
          .per_sequence = attention.pages_per_sequence,
          .rows = attention.page_rows,
          .kv_heads = attention.kv_heads,
          .count = static_cast<int>(attention.pages)};
}

// `params` makes a kernel's parameters of the problem as the library and as the kernels state it.
// As many blocks as the device holds at once have equal slices of all tiles; the library's second
// kernel, which knows the same slices, combines the heads that were cut.
template <class Params, class Make>
lab::Run prepare_decode(lab::Setup& setup, const tile::device::Kernel<Params>& kernel,
                        Make params) {
  const CacheShape shape = cache_shape(setup.problem().size);
  const std::int32_t* table = upload_table(setup, shape);
  const auto heads = static_cast<int>(shape.batch * shape.kv_heads);
  const auto queries = static_cast<int>(shape.heads / shape.kv_heads);
  const auto tiles = static_cast<int>((shape.keys - 1) / tile_keys + 1);
  const int blocks = std::min(tile::device::resident_clusters(kernel), heads * tiles);
  const auto slots = static_cast<std::size_t>(2 * blocks * queries);
  auto* sums = static_cast<float*>(setup.scratch(slots * head_size * sizeof(float)));
  auto* weights = static_cast<float2*>(setup.scratch(slots * sizeof(float2)));
  return lab::per_buffers([=](const lab::Launch& launch) -> lab::Enqueue {
    const AttentionProblem attention = attention_of(launch, table);
    tile::DecodeProblem combined = tile::device::decode_problem(attention);
    combined.work.blocks = blocks;
    combined.partial_accumulators = sums;
    combined.partial_weights = weights;
    const Work work{.q = launch.in<char>(0),
                    .o = launch.out<char>(0),
                    .heads = heads,
                    .queries = queries,
                    .keys = static_cast<int>(shape.keys),
                    .tiles = tiles,
                    .scale = combined.scale,
                    .partial_sums = sums,
                    .partial_weights = weights};
    return [=, made = params(attention, pages_of(attention), work)](cudaStream_t stream) {
      {
        const lab::Range range("attend");
        tile::device::launch(kernel, made, blocks, stream);
      }
      const lab::Range range("combine");
      tile::device::launch_combine({combined, head_size, tile::Element::bf16}, stream);
    };
  });
}

}  // namespace aisp::ch11::kv
