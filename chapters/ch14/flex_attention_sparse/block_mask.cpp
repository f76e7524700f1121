// Rung 2: a list of blocks from the mask on intervals, made in every run.
#include "chapters/ch14/common/flex_rung.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

const lab::RungEntry entry{
    "ch14:flex_attention_sparse",
    {.name = "block_mask",
     .step = 2,
     .builds_on = "every_block",
     .idea = "a list of blocks from the mask on intervals, made in every run",
     .look_at = "two launches; blocks seen and whole in the row's note",
     .needs = lab::Needs::sm_90a,
     .prepare = ch14::flex_rung(ch14::BlockMaskIs::made_each_run)}};

}  // namespace
