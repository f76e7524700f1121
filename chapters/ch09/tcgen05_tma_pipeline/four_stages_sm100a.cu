// Rung 2: four buffers, three tiles ahead. A k-block of products takes half as long as on Hopper:
// what was far enough ahead there is not here.
#include "chapters/ch09/tcgen05_tma_pipeline/ring.cuh"
#include "chapters/common/tcgen05_rung.cuh"

using namespace aisp;

namespace {

struct FourStagesRecipe : ch09::Tcgen05Ring<4> {};

const lab::RungEntry entry{"ch09:tcgen05_tma_pipeline",
                           {.name = "four_stages",
                            .step = 2,
                            .builds_on = "two_stages",
                            .idea = "three tiles ahead",
                            .look_at = "the full barrier is passed without waiting",
                            .needs = lab::Needs::sm_100a,
                            .prepare = chapters::run_tcgen05_row_by_row<FourStagesRecipe>}};

}  // namespace
