// Rung 12: while the other warpgroup multiplies, a warp sends its rows through swizzled staging to
// the copy engine and forgets them: full lines to L2, no wait for a store. Tiles in groups, as in
// `rasterised`.
#include "chapters/ch10/common/recipe_rung.cuh"
#include "tile/schedule/persistent.hpp"

namespace {

constexpr tile::GemmConfig config{.tile_m = 128,
                                  .tile_n = 128,
                                  .stages = 6,
                                  .roles = tile::Roles::ping_pong,
                                  .store = tile::Store::tma};
constexpr tile::Raster sixteen_rows{.along = tile::Raster::Along::m, .group = 16};

struct HiddenEpilogueRecipe : tile::GemmRecipe<config, tile::Accumulator, tile::Persistent> {};

lab::Run prepare(lab::Setup& setup) {
  return ch10::run_recipe<HiddenEpilogueRecipe>(setup, {.raster = sixteen_rows});
}

const lab::RungEntry entry{
    "ch10:matmul",
    {.name = "hidden_epilogue",
     .step = 12,
     .builds_on = "ping_pong",
     .idea = "stores through shared memory under the other warpgroup's products, tiles in groups",
     .look_at =
         "full 128-byte lines to L2; math warps wait for nothing but a free piece of staging",
     .needs = lab::Needs::sm_90a,
     .prepare = prepare}};

}  // namespace
