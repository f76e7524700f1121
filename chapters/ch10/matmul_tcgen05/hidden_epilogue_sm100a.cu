// Rung 10: accumulators go through swizzled staging to TMA: full lines to L2, and a warp that has
// sent a subtile off fills the next.
#include "chapters/common/tcgen05_rung.cuh"
#include "tile/schedule/launch_control.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100Config config{.tile_m = 256,
                                   .tile_n = 256,
                                   .stages = 5,
                                   .cta_group = 2,
                                   .cluster_m = 2,
                                   .store = tile::Store::tma};
constexpr tile::Raster eight_rows{.along = tile::Raster::Along::m, .group = 8};

struct HiddenEpilogueRecipe : tile::Sm100Recipe<config, tile::Accumulator, tile::LaunchControl> {};

lab::Run prepare(lab::Setup& setup) {
  return chapters::run_tcgen05<HiddenEpilogueRecipe>(setup, {.raster = eight_rows});
}

const lab::RungEntry entry{"ch10:matmul_tcgen05",
                           {.name = "hidden_epilogue",
                            .step = 10,
                            .builds_on = "rasterised",
                            .idea = "stores by TMA, from staging that a warp fills and forgets",
                            .look_at = "full 128-byte lines to L2",
                            .needs = lab::Needs::sm_100a,
                            .prepare = prepare}};

}  // namespace
