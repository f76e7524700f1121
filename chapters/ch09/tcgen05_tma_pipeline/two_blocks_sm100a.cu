// Rung 3: the same bytes of shared memory for two blocks: two stages each. Neither is far ahead,
// but while one stores its tile, which the tensor core waits for where there are no roles, the
// other multiplies.
#include "chapters/ch09/tcgen05_tma_pipeline/ring.cuh"
#include "chapters/common/tcgen05_rung.cuh"

using namespace aisp;

namespace {

struct TwoBlocksRecipe : ch09::Tcgen05Ring<2, 2> {};

const lab::RungEntry entry{"ch09:tcgen05_tma_pipeline",
                           {.name = "two_blocks",
                            .step = 3,
                            .builds_on = "four_stages",
                            .idea = "two blocks of two stages share a multiprocessor",
                            .look_at = "half of the columns and of the shared memory for each; "
                                       "stores of one block run under products of the other",
                            .needs = lab::Needs::sm_100a,
                            .prepare = chapters::run_tcgen05_row_by_row<TwoBlocksRecipe>}};

}  // namespace
