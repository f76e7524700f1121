// Rung 1: two buffers. The next tiles are under way during the products; memory's latency is hidden
// as far as the products of one k-block reach.
#include "chapters/ch09/common/single_role_rung.cuh"

using namespace aisp;

namespace {

struct TwoStagesRecipe : ch09::RingRecipe<2> {};

const lab::RungEntry entry{"ch09:wgmma_tma_pipeline",
                           {.name = "two_stages",
                            .step = 1,
                            .builds_on = "one_stage",
                            .idea = "one tile arrives while the other is multiplied",
                            .look_at = "the wait shrinks by the time of one k-block's products",
                            .needs = lab::Needs::sm_90a,
                            .prepare = ch09::run_single_role<TwoStagesRecipe>}};

}  // namespace
