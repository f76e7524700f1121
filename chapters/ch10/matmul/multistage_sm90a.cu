// Rung 4: a ring of four buffers. The thread that asks for copies runs three k-blocks ahead of the
// products, which no longer wait for memory but for the one before them.
#include "chapters/ch10/common/recipe_rung.cuh"
#include "tile/schedule/single.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm90Config config{
    .tile_m = 128, .tile_n = 128, .stages = 4, .store = tile::Store::direct};

struct MultistageRecipe : tile::Sm90SingleRoleRecipe<config, tile::Accumulator, tile::SingleTile> {
};

const lab::RungEntry entry{
    "ch10:matmul",
    {.name = "multistage",
     .step = 4,
     .builds_on = "swizzled",
     .idea = "a ring of four buffers between TMA and wgmma",
     .look_at = "the wait for a full buffer disappears; one block per multiprocessor is left",
     .needs = lab::Needs::sm_90a,
     .prepare = ch10::run_row_by_row<MultistageRecipe>}};

}  // namespace
