// Rung 3: one block takes all of the multiprocessor's shared memory for its own ring. Five tiles
// are ahead, more than memory's latency asks for, and nobody computes while this block waits or
// stores.
#include "chapters/ch09/common/single_role_rung.cuh"

using namespace aisp;

namespace {

struct SixStagesRecipe : ch09::RingRecipe<6> {};

const lab::RungEntry entry{"ch09:wgmma_tma_pipeline",
                           {.name = "six_stages",
                            .step = 3,
                            .builds_on = "four_stages",
                            .idea = "all shared memory for one block",
                            .look_at = "nothing multiplies while the block stores its result",
                            .needs = lab::Needs::sm_90a,
                            .prepare = ch09::run_single_role<SixStagesRecipe>}};

}  // namespace
