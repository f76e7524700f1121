// Rung 5: pairs, side by side. A pair keeps each byte of B once, in one of its blocks, where both
// tensor cores read it; the pairs of a row share A by multicast.
#include "chapters/ch10/cluster_multicast/tile_tcgen05.cuh"

using namespace aisp;

namespace {

struct PairsRecipe : tile::Sm100Recipe<ch10::tcgen05_multicast_config(2, 1, 2), tile::Accumulator,
                                       tile::Persistent> {};

const lab::RungEntry entry{
    "ch10:cluster_multicast",
    {.name = "tcgen05_pairs",
     .step = 5,
     .builds_on = "tcgen05_square",
     .idea = "two pairs of a cluster: halves of B without copies, A shared",
     .look_at = "16 KiB from L2 per block and k-block, and 24 KiB in shared memory",
     .needs = lab::Needs::sm_100a,
     .prepare = chapters::run_tcgen05_row_by_row<PairsRecipe>}};

}  // namespace
