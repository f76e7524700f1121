// Rung 3: the first rung on Blackwell. Every block fetches its own tiles of A and B.
#include "chapters/ch10/cluster_multicast/tile_tcgen05.cuh"

using namespace aisp;

namespace {

struct OwnTilesRecipe : tile::Sm100Recipe<ch10::tcgen05_multicast_config(1, 1, 1),
                                          tile::Accumulator, tile::Persistent> {};

const lab::RungEntry entry{"ch10:cluster_multicast",
                           {.name = "tcgen05_own_tiles",
                            .step = 3,
                            .builds_on = "square_shares_both",
                            .idea = "on Blackwell: every block fetches its own A and B",
                            .look_at = "32 KiB from L2 per block and k-block",
                            .needs = lab::Needs::sm_100a,
                            .prepare = chapters::run_tcgen05_row_by_row<OwnTilesRecipe>}};

}  // namespace
