// Rung 0: one buffer. Load, wait for the bytes, multiply, wait for the products, load again: TMA
// and matrix unit take turns, and only other blocks of the multiprocessor fill the gaps.
#include "chapters/ch09/common/single_role_rung.cuh"

using namespace aisp;

namespace {

struct OneStageRecipe : ch09::RingRecipe<1> {};

const lab::RungEntry entry{"ch09:wgmma_tma_pipeline",
                           {.name = "one_stage",
                            .step = 0,
                            .builds_on = "",
                            .idea = "TMA fills a buffer, wgmma reads it, in turn",
                            .look_at = "the wait on the full barrier is a trip to memory long",
                            .needs = lab::Needs::sm_90a,
                            .prepare = ch09::run_single_role<OneStageRecipe>}};

}  // namespace
