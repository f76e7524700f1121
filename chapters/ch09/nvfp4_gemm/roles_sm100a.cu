// Rung 1: a warp that loads, one that multiplies, four that store. One accumulator: the loads of
// the next tile run ahead of the stores, its products do not.
#include "chapters/ch09/common/nvfp4_recipe_rung.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100Config config = ch09::nvfp4::few_rows(4, 1);

struct Nvfp4RolesRecipe : tile::Sm100Recipe<config, tile::Accumulator, tile::Persistent> {};

const lab::RungEntry entry{"ch09:nvfp4_gemm",
                           {.name = "roles",
                            .step = 1,
                            .builds_on = "one_warp",
                            .idea = "loads, products and stores in warps of their own",
                            .look_at = "the ring is full when the accumulator becomes free",
                            .needs = lab::Needs::sm_100a,
                            .prepare = ch09::nvfp4::run<Nvfp4RolesRecipe>}};

}  // namespace
