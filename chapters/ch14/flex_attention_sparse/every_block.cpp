// Rung 1: one kernel, the mask function on every score of every block.
#include "chapters/ch14/common/flex_rung.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

const lab::RungEntry entry{"ch14:flex_attention_sparse",
                           {.name = "every_block",
                            .step = 1,
                            .builds_on = "scores_in_memory",
                            .idea = "one kernel, the mask function on every score of every block",
                            .look_at = "as many products as without a mask",
                            .needs = lab::Needs::sm_90a,
                            .prepare = ch14::flex_rung(ch14::BlockMaskIs::of_every_block)}};

}  // namespace
