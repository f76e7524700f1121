// Rung 0: every block fetches its own tiles of A and B.
#include "chapters/ch10/cluster_multicast/tile.hpp"
#include "chapters/ch10/common/recipe_rung.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

struct OwnTilesRecipe
    : tile::Sm90Recipe<ch10::multicast_config(1, 1), tile::Accumulator, tile::Persistent> {};

const lab::RungEntry entry{"ch10:cluster_multicast",
                           {.name = "own_tiles",
                            .step = 0,
                            .builds_on = "",
                            .idea = "every block fetches its own A and B",
                            .look_at = "32 KiB from L2 per block and k-block",
                            .needs = lab::Needs::sm_90a,
                            .prepare = ch10::run_row_by_row<OwnTilesRecipe>}};

}  // namespace
