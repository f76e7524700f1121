// Rung 2: four blocks in a square. Blocks of a row share A, blocks of a column share B; a buffer is
// free when the three blocks that see its tiles have read it.
#include "chapters/ch10/cluster_multicast/tile.hpp"
#include "chapters/ch10/common/recipe_rung.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

struct SquareSharesBothRecipe
    : tile::Sm90Recipe<ch10::multicast_config(2, 2), tile::Accumulator, tile::Persistent> {};

const lab::RungEntry entry{
    "ch10:cluster_multicast",
    {.name = "square_shares_both",
     .step = 2,
     .builds_on = "pair_shares_b",
     .idea = "2x2 cluster: half of A and half of B each",
     .look_at =
         "16 KiB from L2 per block and k-block; multiprocessors that no cluster of four fits",
     .needs = lab::Needs::sm_90a,
     .prepare = ch10::run_row_by_row<SquareSharesBothRecipe>}};

}  // namespace
