// Rung 2: three stages. Two blocks are under way, and a warpgroup may be a block ahead of the other
// without keeping it from asking.
#include "chapters/ch10/flash_attn_tma_micro_pipeline/stages.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

struct ThreeStages : ch10::OneRole<ch10::pipeline_config(3)> {};

const lab::RungEntry entry{
    "ch10:flash_attn_tma_micro_pipeline",
    {.name = "three_stages",
     .step = 2,
     .builds_on = "two_stages",
     .idea = "three stages: two blocks under way",
     .look_at = "whether the asking thread still waits for the other warpgroup",
     .needs = lab::Needs::sm_90a,
     .prepare = ch10::run_one_role<ThreeStages>}};

}  // namespace
