// Rung 5: the grid has a block for every tile, and those that run take over the tiles of blocks
// that have not started. Tiles go to whoever is free, as without persistence, and what a block has
// set up stays, as with it.
#include "chapters/common/tcgen05_rung.cuh"
#include "tile/schedule/launch_control.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100Config config{.stages = 4, .accumulators = 2, .store = tile::Store::direct};

struct LaunchControlRecipe : tile::Sm100Recipe<config, tile::Accumulator, tile::LaunchControl> {};

const lab::RungEntry entry{
    "ch10:matmul_tcgen05",
    {.name = "launch_control",
     .step = 5,
     .builds_on = "two_accumulators",
     .idea = "tiles are taken over from blocks that have not started",
     .look_at = "clusterlaunchcontrol.try_cancel; as many blocks in the grid as tiles",
     .needs = lab::Needs::sm_100a,
     .prepare = chapters::run_tcgen05_row_by_row<LaunchControlRecipe>}};

}  // namespace
