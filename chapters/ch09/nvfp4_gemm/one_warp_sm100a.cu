// Rung 0: one thread of a warp asks for codes and scales, copies the scales to tensor memory and
// multiplies, with a ring of four ahead; then the block stores.
#include "chapters/ch09/common/nvfp4_recipe_rung.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100Config config = ch09::nvfp4::few_rows(4, 1);

struct Nvfp4OneWarpRecipe
    : tile::Sm100SingleRoleRecipe<config, tile::Accumulator, tile::Persistent> {};

const lab::RungEntry entry{
    "ch09:nvfp4_gemm",
    {.name = "one_warp",
     .step = 0,
     .builds_on = "",
     .idea = "one thread loads, scales and multiplies, then all store",
     .look_at = "the tensor core is idle while a tile is stored, and until the next ones have come",
     .needs = lab::Needs::sm_100a,
     .prepare = ch09::nvfp4::run<Nvfp4OneWarpRecipe>}};

}  // namespace
