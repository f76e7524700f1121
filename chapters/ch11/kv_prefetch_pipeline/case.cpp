// kv_prefetch_pipeline: one new query for each sequence against the keys so far, which lie in pages
// all over the memory. Every page is read once: what counts is that the next ones are on their way
// while one is attended to.
#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "chapters/ch11/kv_prefetch_pipeline/paged_cache.hpp"
#include "lab/case/random.hpp"
#include "lab/case/registry.hpp"
#include "lab/judge/attention_problem.hpp"

using namespace aisp;

namespace aisp::ch11::kv {

CacheShape cache_shape(const lab::Size& size) {
  const auto& dims = size.dims;
  return {.keys = dims.at(0),
          .head_size = dims.at(1),
          .batch = dims.at(2),
          .heads = dims.at(3),
          .kv_heads = dims.at(4),
          .page = dims.at(5)};
}

std::vector<std::int32_t> page_table(const CacheShape& shape) {
  std::vector<std::int32_t> table(static_cast<std::size_t>(shape.pages()));
  std::iota(table.begin(), table.end(), 0);
  for (std::size_t left = table.size(); left > 1; --left) {
    const double chosen = lab::unit_interval(lab::philox(1, 0, left)[0]);
    std::swap(table[left - 1], table[static_cast<std::size_t>(chosen * static_cast<double>(left))]);
  }
  return table;
}

}  // namespace aisp::ch11::kv

namespace {

using ch11::kv::CacheShape;

// (pages, KV, page, D) in order of the sequences: (B, KV, S, D).
lab::HostTensor in_order(const lab::HostTensor& paged, const CacheShape& shape,
                         const std::vector<std::int32_t>& table) {
  const auto row_bytes = static_cast<std::size_t>(2 * shape.head_size);
  lab::HostTensor dense{{.name = paged.what.name,
                         .dtype = paged.what.dtype,
                         .shape = {shape.batch, shape.kv_heads, shape.keys, shape.head_size}},
                        {}};
  dense.data.resize(static_cast<std::size_t>(dense.what.bytes()));
  base::parallel_ranges(shape.batch * shape.kv_heads * shape.keys, [&](std::int64_t row,
                                                                       std::int64_t last) {
    for (; row < last; ++row) {
      const std::int64_t key = row % shape.keys;
      const std::int64_t head = row / shape.keys % shape.kv_heads;
      const std::int64_t sequence = row / shape.keys / shape.kv_heads;
      const std::int64_t page =
          table[static_cast<std::size_t>(sequence * shape.pages_per_sequence() + key / shape.page)];
      const std::int64_t from = (page * shape.kv_heads + head) * shape.page + key % shape.page;
      std::memcpy(dense.data.data() + row_bytes * row, paged.data.data() + row_bytes * from,
                  row_bytes);
    }
  });
  return dense;
}

void refuse_bad_cache(const CacheShape& shape) {
  if (shape.head_size != 128)
    base::refuse(base::Exit::usage, "kv_prefetch_pipeline takes heads of 128 elements: got ",
                 shape.head_size);
  if (shape.page != 16 && shape.page != 32 && shape.page != 64)
    base::refuse(base::Exit::usage, "kv_prefetch_pipeline takes pages of 16, 32 or 64 keys: got ",
                 shape.page);
  if (shape.heads > 8 * shape.kv_heads)
    base::refuse(base::Exit::usage,
                 "kv_prefetch_pipeline takes at most 8 query heads for one of keys: got H ",
                 shape.heads, " and KV ", shape.kv_heads);
}

lab::Problem problem(const lab::Size& size) {
  const CacheShape shape = ch11::kv::cache_shape(size);
  lab::Problem problem = lab::attention_problem("kv_prefetch_pipeline", size,
                                                {.batch = shape.batch,
                                                 .heads = shape.heads,
                                                 .kv_heads = shape.kv_heads,
                                                 .queries = 1,
                                                 .keys = shape.keys,
                                                 .head_size = shape.head_size},
                                                lab::Dtype::bf16);
  refuse_bad_cache(shape);
  // The bytes stay those of the keys: nobody needs the rest of a last page.
  for (const int kv : {1, 2})
    problem.inputs.at(kv).shape = {shape.pages(), shape.kv_heads, shape.page, shape.head_size};
  problem.reference = [shape, dense = problem.reference](
                          const lab::Inputs& inputs, std::vector<std::vector<double>>& expected) {
    const auto table = ch11::kv::page_table(shape);
    dense(
        {inputs.at(0), in_order(inputs.at(1), shape, table), in_order(inputs.at(2), shape, table)},
        expected);
  };
  return problem;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch11";
  target.name = "kv_prefetch_pipeline";
  target.idea = "decoding over a paged cache: the next pages arrive while one is attended to";
  target.shows_nowhere = "the latency of memory, which prefetched pages hide";
  target.aliases = {{"kv_prefetch_pipeline_enhanced_demo", ""}};
  target.axes = {"S", "D", "B", "H", "KV", "page"};
  target.variants = {""};
  target.full = {{"", {8192, 128, 64, 32, 8, 64}}, {"", {32768, 128, 1, 32, 8, 64}}};
  // On 8 multiprocessors: more than one lap of the ring, heads cut between blocks; last pages that
  // are not full; groups of 4, 1 and 8; whole heads and cut ones in one block.
  target.quick = {{"", {3000, 128, 1, 8, 2, 16}},
                  {"", {333, 128, 3, 2, 2, 64}},
                  {"", {90, 128, 20, 16, 2, 32}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
