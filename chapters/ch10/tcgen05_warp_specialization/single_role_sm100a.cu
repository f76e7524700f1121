// Rung 0: one thread loads and multiplies, then the block stores: what a tile needs, one after the
// other, with a ring of four buffers ahead. Blocks walk over the tiles.
#include "chapters/common/tcgen05_rung.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100Config config{.stages = 4, .accumulators = 1, .store = tile::Store::direct};

struct OneRoleRecipe : tile::Sm100SingleRoleRecipe<config, tile::Accumulator, tile::Persistent> {};

const lab::RungEntry entry{
    "ch10:tcgen05_warp_specialization",
    {.name = "single_role",
     .step = 0,
     .builds_on = "",
     .idea = "one thread loads and multiplies, then all store",
     .look_at =
         "the tensor core is idle while a tile is stored, and until the next tiles have come",
     .needs = lab::Needs::sm_100a,
     .prepare = chapters::run_tcgen05_row_by_row<OneRoleRecipe>}};

}  // namespace
