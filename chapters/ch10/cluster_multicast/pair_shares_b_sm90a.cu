// Rung 1: two blocks, one below the other, need the same rows of B (N, K). Each fetches half of
// them and TMA writes it into the shared memory of both, at the same place; each block's mbarrier
// counts what arrives there. A buffer is free when both blocks have read it.
#include "chapters/ch10/cluster_multicast/tile.hpp"
#include "chapters/ch10/common/recipe_rung.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

struct PairSharesBRecipe
    : tile::Sm90Recipe<ch10::multicast_config(2, 1), tile::Accumulator, tile::Persistent> {};

const lab::RungEntry entry{"ch10:cluster_multicast",
                           {.name = "pair_shares_b",
                            .step = 1,
                            .builds_on = "own_tiles",
                            .idea = "2x1 cluster: half of B each, delivered to both",
                            .look_at = "24 KiB from L2 per block and k-block; memory traffic stays",
                            .needs = lab::Needs::sm_90a,
                            .prepare = ch10::run_row_by_row<PairSharesBRecipe>}};

}  // namespace
