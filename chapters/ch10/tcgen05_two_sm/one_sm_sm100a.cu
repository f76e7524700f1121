// Rung 0: each multiprocessor computes tiles of 128x128 of its own.
#include "chapters/common/tcgen05_rung.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100Config config{
    .tile_m = 128, .tile_n = 128, .stages = 6, .store = tile::Store::direct};

struct OneSmRecipe : tile::Sm100Recipe<config, tile::Accumulator, tile::Persistent> {};

const lab::RungEntry entry{"ch10:tcgen05_two_sm",
                           {.name = "one_sm",
                            .step = 0,
                            .builds_on = "",
                            .idea = "a tile of 128x128 on each multiprocessor",
                            .look_at = "32 KiB a block and k-block",
                            .needs = lab::Needs::sm_100a,
                            .prepare = chapters::run_tcgen05_row_by_row<OneSmRecipe>}};

}  // namespace
