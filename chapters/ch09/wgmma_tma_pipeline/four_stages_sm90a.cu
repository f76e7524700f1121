// Rung 2: four buffers, three tiles ahead: 96 KiB under way cover a miss in L2 too. One block fills
// the multiprocessor's shared memory, which is enough when it never waits.
#include "chapters/ch09/common/single_role_rung.cuh"

using namespace aisp;

namespace {

struct FourStagesRecipe : ch09::RingRecipe<4> {};

const lab::RungEntry entry{"ch09:wgmma_tma_pipeline",
                           {.name = "four_stages",
                            .step = 2,
                            .builds_on = "two_stages",
                            .idea = "three tiles ahead",
                            .look_at = "the full barrier is passed without waiting",
                            .needs = lab::Needs::sm_90a,
                            .prepare = ch09::run_single_role<FourStagesRecipe>}};

}  // namespace
