// Rung 7: two warpgroups share the largest tile whose accumulators fit into registers. A k-block of
// 128x256 is 1.5 times the bytes of 128x128 for twice the products.
#include "chapters/ch10/common/recipe_rung.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm90Config config{
    .tile_m = 128, .tile_n = 256, .stages = 4, .store = tile::Store::direct};
static_assert(config.accumulators() == 128);  // of a thread

struct CooperativeRecipe : tile::Sm90Recipe<config, tile::Accumulator, tile::Persistent> {};

const lab::RungEntry entry{"ch10:matmul",
                           {.name = "cooperative",
                            .step = 7,
                            .builds_on = "persistent",
                            .idea = "two warpgroups share a tile of 128x256",
                            .look_at = "bytes per operation fall by a quarter; wgmma is 256 wide",
                            .needs = lab::Needs::sm_90a,
                            .prepare = ch10::run_row_by_row<CooperativeRecipe>}};

}  // namespace
