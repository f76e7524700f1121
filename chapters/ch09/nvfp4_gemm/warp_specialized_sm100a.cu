// Rung 2: a second accumulator and a deeper ring: all three roles work at once. Codes are small:
// six stages of them take what three of bf16 would.
#include "chapters/ch09/common/nvfp4_recipe_rung.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100Config config = ch09::nvfp4::few_rows(6, 2);

struct Nvfp4WarpSpecializedRecipe : tile::Sm100Recipe<config, tile::Accumulator, tile::Persistent> {
};

const lab::RungEntry entry{"ch09:nvfp4_gemm",
                           {.name = "warp_specialized",
                            .step = 2,
                            .builds_on = "roles",
                            .idea = "a second accumulator, six stages",
                            .look_at = "products of a tile run while the one before is stored",
                            .needs = lab::Needs::sm_100a,
                            .prepare = ch09::nvfp4::run<Nvfp4WarpSpecializedRecipe>}};

}  // namespace
