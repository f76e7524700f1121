// Rung 5: a warp that only loads. It runs ahead as far as the ring allows and never stands between
// two products; register reallocation gives its registers to the warpgroups that multiply.
#include "chapters/ch10/common/recipe_rung.cuh"
#include "tile/schedule/single.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm90Config config{
    .tile_m = 128, .tile_n = 128, .stages = 4, .store = tile::Store::direct};

struct WarpSpecializedRecipe : tile::Sm90Recipe<config, tile::Accumulator, tile::SingleTile> {};

const lab::RungEntry entry{
    "ch10:matmul",
    {.name = "warp_specialized",
     .step = 5,
     .builds_on = "multistage",
     .idea = "one warp loads, the others multiply",
     .look_at = "math warps issue wgmma and little else; setmaxnreg moves registers to them",
     .needs = lab::Needs::sm_90a,
     .prepare = ch10::run_row_by_row<WarpSpecializedRecipe>}};

}  // namespace
