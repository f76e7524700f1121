// Rung 10: the order of tiles. Clusters that run at the same time work on a block of neighbouring
// tiles, eight rows of them high, instead of on long rows: what they read together fits into L2.
#include "chapters/ch10/common/recipe_rung.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm90Config config{
    .tile_m = 128, .tile_n = 256, .stages = 4, .cluster_m = 2, .store = tile::Store::direct};
constexpr tile::Raster eight_rows{.along = tile::Raster::Along::m, .group = 8};

struct RasterisedRecipe : tile::Sm90Recipe<config, tile::Accumulator, tile::Persistent> {};

lab::Run prepare(lab::Setup& setup) {
  return ch10::run_recipe<RasterisedRecipe>(setup, {.raster = eight_rows});
}

const lab::RungEntry entry{
    "ch10:matmul",
    {.name = "rasterised",
     .step = 10,
     .builds_on = "cluster_multicast",
     .idea = "blocks that run together work on neighbouring tiles",
     .look_at = "L2 hit rate up, bytes from memory down; the same kernel as rung 9",
     .needs = lab::Needs::sm_90a,
     .prepare = prepare}};

}  // namespace
