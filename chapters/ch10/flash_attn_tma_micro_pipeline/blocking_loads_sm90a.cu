// Rung 0: one stage. The block asks for keys and values, waits for them, multiplies, and asks anew
// when both warpgroups are done: copies and products take turns.
#include "chapters/ch10/flash_attn_tma_micro_pipeline/stages.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

struct BlockingLoads : ch10::OneRole<ch10::pipeline_config(1)> {};

const lab::RungEntry entry{"ch10:flash_attn_tma_micro_pipeline",
                           {.name = "blocking_loads",
                            .step = 0,
                            .builds_on = "",
                            .idea = "one stage: load, wait, compute",
                            .look_at = "the wait for the copy, once per block of keys",
                            .needs = lab::Needs::sm_90a,
                            .prepare = ch10::run_one_role<BlockingLoads>}};

}  // namespace
