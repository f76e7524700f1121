// Rung 0: one buffer. Load, wait for the bytes, multiply, wait for the products, load again: TMA
// and the tensor core take turns.
#include "chapters/ch09/tcgen05_tma_pipeline/ring.cuh"
#include "chapters/common/tcgen05_rung.cuh"

using namespace aisp;

namespace {

struct OneStageRecipe : ch09::Tcgen05Ring<1> {};

const lab::RungEntry entry{"ch09:tcgen05_tma_pipeline",
                           {.name = "one_stage",
                            .step = 0,
                            .builds_on = "",
                            .idea = "TMA fills a buffer, tcgen05 reads it, in turn",
                            .look_at = "every wait for a full buffer is a trip to memory long",
                            .needs = lab::Needs::sm_100a,
                            .prepare = chapters::run_tcgen05_row_by_row<OneStageRecipe>}};

}  // namespace
