// Rung 1: two stages. The copies of the next block run under the products of this one; the slot is
// asked for again when the slower warpgroup has left it.
#include "chapters/ch10/flash_attn_tma_micro_pipeline/stages.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

struct TwoStages : ch10::OneRole<ch10::pipeline_config(2)> {};

const lab::RungEntry entry{
    "ch10:flash_attn_tma_micro_pipeline",
    {.name = "two_stages",
     .step = 1,
     .builds_on = "blocking_loads",
     .idea = "two stages: the next block arrives under the products of this one",
     .look_at = "the wait disappears where a block's products take longer than its copy",
     .needs = lab::Needs::sm_90a,
     .prepare = ch10::run_one_role<TwoStages>}};

}  // namespace
