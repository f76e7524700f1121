// Rung 6: as many blocks as fit walk over the tiles. Barriers are set up once, and the next tile's
// loads run under the stores of this one.
#include "chapters/ch10/common/recipe_rung.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm90Config config{
    .tile_m = 128, .tile_n = 128, .stages = 4, .store = tile::Store::direct};

struct PersistentRecipe : tile::Sm90Recipe<config, tile::Accumulator, tile::Persistent> {};

const lab::RungEntry entry{
    "ch10:matmul",
    {.name = "persistent",
     .step = 6,
     .builds_on = "warp_specialized",
     .idea = "one block per multiprocessor takes tile after tile",
     .look_at = "132 blocks in the grid; the ring is full when a tile begins",
     .needs = lab::Needs::sm_90a,
     .prepare = ch10::run_row_by_row<PersistentRecipe>}};

}  // namespace
