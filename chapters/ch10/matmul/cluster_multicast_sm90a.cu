// Rung 9: two blocks, one below the other, need the same columns of B. Each fetches half of them
// and TMA delivers it to both: B crosses L2 once for two tiles.
#include "chapters/ch10/common/recipe_rung.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm90Config config{
    .tile_m = 128, .tile_n = 256, .stages = 4, .cluster_m = 2, .store = tile::Store::direct};

struct ClusterMulticastRecipe : tile::Sm90Recipe<config, tile::Accumulator, tile::Persistent> {};

const lab::RungEntry entry{
    "ch10:matmul",
    {.name = "cluster_multicast",
     .step = 9,
     .builds_on = "cooperative",
     .idea = "a cluster of two blocks shares the tiles of B",
     .look_at = "bytes from L2 per k-block: 32 KiB of 48 KiB; bytes from memory stay",
     .needs = lab::Needs::sm_90a,
     .prepare = ch10::run_row_by_row<ClusterMulticastRecipe>}};

}  // namespace
