// Attention of which most pairs are masked: a window of 512 keys, and twelve documents in one
// sequence. What the mask leaves out need not be loaded, if one knows it beforehand.
#include "chapters/ch14/common/flex_problem.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

const lab::TargetEntry entry{{
    .chapter = "ch14",
    .name = "flex_attention_sparse",
    .idea = "a block mask made from the mask function: empty blocks are never loaded",
    .shows_in = lab::Count::l2_bytes,
    .aliases = {},
    .axes = {"B", "H", "S", "D"},
    .variants = {"window", "document"},
    .full = {{"window", {4, 16, 4096, 128}}, {"document", {1, 16, 16384, 128}}},
    // Blocks that are whole, in part and not seen at all.
    .quick = {{"window", {1, 1, 900, 64}}, {"document", {1, 1, 1100, 128}}},
    .problem =
        [](const lab::Size& size) { return ch14::flex_problem("flex_attention_sparse", size); },
}};

}  // namespace
