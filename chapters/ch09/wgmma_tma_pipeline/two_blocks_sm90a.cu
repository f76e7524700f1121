// Rung 4: the same bytes of shared memory as two rings of three stages, for two blocks: while one
// waits for its tiles, begins or stores its result, the other multiplies.
#include "chapters/ch09/common/single_role_rung.cuh"

using namespace aisp;

namespace {

struct TwoBlocksRecipe : ch09::RingRecipe<3> {};

const lab::RungEntry entry{"ch09:wgmma_tma_pipeline",
                           {.name = "two_blocks",
                            .step = 4,
                            .builds_on = "six_stages",
                            .idea = "half the stages, two blocks on a multiprocessor",
                            .look_at = "the tensor cores are busy during a block's epilogue",
                            .needs = lab::Needs::sm_90a,
                            .prepare = ch09::run_single_role<TwoBlocksRecipe, 2>}};

}  // namespace
