// Rung 12: accumulators go through swizzled staging to TMA, in subtiles that a warp sends off and
// forgets: full lines to L2, and the stores run under the products of the next tile.
#include "chapters/ch10/common/recipe_rung.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm90Config config{
    .tile_m = 128, .tile_n = 256, .stages = 4, .cluster_m = 2, .store = tile::Store::tma};
constexpr tile::Raster eight_rows{.along = tile::Raster::Along::m, .group = 8};

struct HiddenEpilogueRecipe : tile::Sm90Recipe<config, tile::Accumulator, tile::Persistent> {};

lab::Run prepare(lab::Setup& setup) {
  return ch10::run_recipe<HiddenEpilogueRecipe>(setup, {.raster = eight_rows});
}

const lab::RungEntry entry{
    "ch10:matmul",
    {.name = "hidden_epilogue",
     .step = 12,
     .builds_on = "rasterised",
     .idea = "stores through shared memory while the next tile is multiplied",
     .look_at =
         "full 128-byte lines to L2; math warps wait for nothing but a free subtile of staging",
     .needs = lab::Needs::sm_90a,
     .prepare = prepare}};

}  // namespace
