// One new query for each sequence against all keys so far, the step of a language model that
// generates: every key and value is read once and used by the few queries of its head alone.
#include "base/refuse.hpp"
#include "lab/case/registry.hpp"
#include "lab/judge/attention_problem.hpp"

using namespace aisp;

namespace {

// S (keys), D, B, H, KV
lab::Problem problem(const lab::Size& size) {
  const auto& dims = size.dims;
  if (dims.at(3) > 64 * dims.at(4))
    base::refuse(base::Exit::usage,
                 "attention_decode takes at most 64 query heads for one of keys: ", "got H ",
                 dims.at(3), " and KV ", dims.at(4));
  return lab::attention_problem("attention_decode", size,
                                {.batch = dims.at(2),
                                 .heads = dims.at(3),
                                 .kv_heads = dims.at(4),
                                 .queries = 1,
                                 .keys = dims.at(0),
                                 .head_size = dims.at(1)},
                                lab::Dtype::bf16);
}

const lab::TargetEntry entry{{
    .chapter = "ch10",
    .name = "attention_decode",
    .idea = "one query against a long cache: the keys of a head divided between blocks",
    .shows_nowhere = "how many multiprocessors work at once",
    .aliases = {},
    .axes = {"S", "D", "B", "H", "KV"},
    .variants = {""},
    .full = {{"", {8192, 128, 64, 32, 8}},
             {"", {8192, 128, 16, 32, 32}},
             {"", {32768, 128, 1, 32, 8}}},
    // Cut heads, a ragged end, groups of 4 and of 1.
    .quick = {{"", {600, 128, 2, 8, 2}}, {"", {333, 64, 3, 2, 2}}},
    .problem = problem,
}};

}  // namespace
