// Rung 8: each warpgroup has a tile of its own, and they take turns: while one stores, the other's
// products keep the matrix unit busy. The ring has as many bytes as the cooperative one.
#include "chapters/ch10/common/recipe_rung.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm90Config config{.tile_m = 128,
                                  .tile_n = 128,
                                  .stages = 6,
                                  .roles = tile::Roles::ping_pong,
                                  .store = tile::Store::direct};

struct PingPongRecipe : tile::Sm90Recipe<config, tile::Accumulator, tile::Persistent> {};

const lab::RungEntry entry{
    "ch10:matmul",
    {.name = "ping_pong",
     .step = 8,
     .builds_on = "persistent",
     .idea = "one warpgroup stores while the other multiplies",
     .look_at = "the matrix unit has no gap between tiles; most of all where K is small",
     .needs = lab::Needs::sm_90a,
     .prepare = ch10::run_row_by_row<PingPongRecipe>}};

}  // namespace
