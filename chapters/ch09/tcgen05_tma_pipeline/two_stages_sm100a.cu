// Rung 1: two buffers. The next tiles are under way during the products.
#include "chapters/ch09/tcgen05_tma_pipeline/ring.cuh"
#include "chapters/common/tcgen05_rung.cuh"

using namespace aisp;

namespace {

struct TwoStagesRecipe : ch09::Tcgen05Ring<2> {};

const lab::RungEntry entry{"ch09:tcgen05_tma_pipeline",
                           {.name = "two_stages",
                            .step = 1,
                            .builds_on = "one_stage",
                            .idea = "one tile arrives while the other is multiplied",
                            .look_at = "the wait shrinks by the time of one k-block's products",
                            .needs = lab::Needs::sm_100a,
                            .prepare = chapters::run_tcgen05_row_by_row<TwoStagesRecipe>}};

}  // namespace
