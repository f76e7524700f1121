// o = softmax(mask(score(q k' / sqrt(D)))) v with functions of the user's own, bf16: through
// scores in memory, and as one kernel that the functions are compiled into.
#include "chapters/ch14/common/flex_problem.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

const lab::TargetEntry entry{{
    .chapter = "ch14",
    .name = "flex_attention",
    .idea = "score and mask functions compiled into the attention kernel instead of a tensor of "
            "scores",
    .shows_in = lab::Count::l2_bytes,
    .aliases = {},
    .axes = {"B", "H", "S", "D"},
    .variants = {"alibi", "soft_cap", "soft_cap_precise", "causal", "causal_alibi", "document",
                 "prefix", "full"},
    .full = {{"alibi", {4, 16, 4096, 128}},
             {"soft_cap", {4, 16, 4096, 128}},
             {"soft_cap_precise", {4, 16, 4096, 128}},
             {"causal", {4, 16, 4096, 128}},
             {"causal_alibi", {4, 16, 4096, 128}},
             {"document", {4, 16, 4096, 128}},
             {"prefix", {4, 16, 4096, 128}},
             {"full", {4, 16, 4096, 128}}},
    // Rows and keys that end within a block, and several blocks of both.
    .quick = {{"alibi", {1, 2, 200, 128}},
              {"soft_cap", {1, 2, 136, 128}},
              {"soft_cap_precise", {1, 1, 136, 128}},
              {"causal", {1, 1, 150, 128}},
              {"causal_alibi", {2, 1, 150, 64}},
              {"document", {1, 2, 300, 128}},
              {"prefix", {1, 1, 260, 128}},
              {"full", {1, 1, 136, 64}}},
    .problem = [](const lab::Size& size) { return ch14::flex_problem("flex_attention", size); },
}};

}  // namespace
