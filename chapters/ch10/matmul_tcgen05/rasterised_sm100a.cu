// Rung 9: eight rows of tiles at a time: what blocks that run at once need stays in L2.
#include "chapters/common/tcgen05_rung.cuh"
#include "tile/schedule/launch_control.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100Config config{.tile_m = 256,
                                   .tile_n = 256,
                                   .stages = 5,
                                   .cta_group = 2,
                                   .cluster_m = 2,
                                   .store = tile::Store::direct};
constexpr tile::Raster eight_rows{.along = tile::Raster::Along::m, .group = 8};

struct RasterisedRecipe : tile::Sm100Recipe<config, tile::Accumulator, tile::LaunchControl> {};

lab::Run prepare(lab::Setup& setup) {
  return chapters::run_tcgen05<RasterisedRecipe>(setup, {.raster = eight_rows});
}

const lab::RungEntry entry{"ch10:matmul_tcgen05",
                           {.name = "rasterised",
                            .step = 9,
                            .builds_on = "pair_multicast",
                            .idea = "tiles in groups of eight rows",
                            .look_at = "distinct bytes that the blocks of one wave touch",
                            .needs = lab::Needs::sm_100a,
                            .prepare = prepare}};

}  // namespace
