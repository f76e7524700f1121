// Rung 11: the tiles that would not fill the last wave are cut along K into equal ranges, one for
// every block or cluster. Whoever has the end of a tile leaves its accumulators in memory, and
// whoever has the beginning adds them.
#include "chapters/ch10/common/recipe_rung.cuh"
#include "tile/schedule/stream_k.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm90Config config{
    .tile_m = 128, .tile_n = 256, .stages = 4, .cluster_m = 2, .store = tile::Store::direct};
constexpr tile::Raster eight_rows{.along = tile::Raster::Along::m, .group = 8};

struct StreamKRecipe : tile::Sm90Recipe<config, tile::Accumulator, tile::StreamK> {};

lab::Run prepare(lab::Setup& setup) {
  return ch10::run_recipe<StreamKRecipe>(setup, {.raster = eight_rows});
}

const lab::RungEntry entry{"ch10:matmul",
                           {.name = "stream_k",
                            .step = 11,
                            .builds_on = "rasterised",
                            .idea = "the last wave is split along K",
                            .look_at = "all multiprocessors end together; the price is a tile of "
                                       "accumulators per block through L2",
                            .needs = lab::Needs::sm_90a,
                            .prepare = prepare}};

}  // namespace
