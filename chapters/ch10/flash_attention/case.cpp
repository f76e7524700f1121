// o = softmax(q k' / sqrt(D)) v for every head, fused: the scores never reach memory. bf16; with
// fewer heads of keys than of queries (KV < H) neighbouring query heads share one. The twelve full
// sizes have 16384 tokens and a hidden width of 2048 each.
#include "chapters/ch10/common/attention_sizes.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

// S, D, B, H, KV
enum Axis { rows, head_size, batch, heads, kv_heads };

lab::Problem problem(const lab::Size& size) {
  const auto& dims = size.dims;
  return ch10::ladder_attention("flash_attention", size, dims.at(batch), dims.at(heads),
                                dims.at(kv_heads), dims.at(rows), dims.at(head_size));
}

void complete(lab::Size& size, const std::vector<bool>& given) {
  auto& dims = size.dims;
  if (!given.at(batch)) dims.at(batch) = ch10::batch_for(dims.at(rows));
  if (!given.at(heads))
    dims.at(heads) = given.at(kv_heads) ? dims.at(kv_heads) : ch10::heads_for(dims.at(head_size));
  if (!given.at(kv_heads)) dims.at(kv_heads) = dims.at(heads);
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch10";
  target.name = "flash_attention";
  target.idea = "attention in one kernel, from mma.sync to warpgroups with roles";
  target.shows_nowhere = "products that run under the softmax, which no count has";
  target.axes = {"S", "D", "B", "H", "KV"};
  target.variants = {"full", "causal"};
  for (const auto& variant : target.variants)
    for (const std::int64_t size : {64, 128})
      for (const std::int64_t length : {1024, 4096, 16384})
        target.full.push_back({variant,
                               {length, size, ch10::batch_for(length), ch10::heads_for(size),
                                ch10::heads_for(size)}});
  target.full.push_back({"causal", {4096, 128, 4, 16, 4}});
  // Ragged ends, more than one lap of the rings, more blocks than multiprocessors; shared heads.
  target.quick = {{"full", {264, 64, 1, 3, 3}},
                  {"full", {136, 128, 1, 4, 2}},
                  {"causal", {260, 64, 1, 3, 1}},
                  {"causal", {264, 128, 1, 3, 3}}};
  target.complete = complete;
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
