// Rung 4: four blocks in a square, as on Hopper. The empty barrier of a slot hears of the products
// of all blocks that its copies land in: tcgen05.commit arrives at several blocks at once.
#include "chapters/ch10/cluster_multicast/tile_tcgen05.cuh"

using namespace aisp;

namespace {

struct SquareRecipe : tile::Sm100Recipe<ch10::tcgen05_multicast_config(1, 2, 2), tile::Accumulator,
                                        tile::Persistent> {};

const lab::RungEntry entry{
    "ch10:cluster_multicast",
    {.name = "tcgen05_square",
     .step = 4,
     .builds_on = "tcgen05_own_tiles",
     .idea = "2x2 cluster: half of A and half of B each",
     .look_at = "16 KiB from L2 per block and k-block, and 32 KiB in shared memory",
     .needs = lab::Needs::sm_100a,
     .prepare = chapters::run_tcgen05_row_by_row<SquareRecipe>}};

}  // namespace
