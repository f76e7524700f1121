// Rung 2: 256x256 for the pair, as much of B in each block as one had alone.
#include "chapters/common/tcgen05_rung.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100Config config{
    .tile_m = 256, .tile_n = 256, .stages = 6, .cta_group = 2, .store = tile::Store::direct};

struct WidePairRecipe : tile::Sm100Recipe<config, tile::Accumulator, tile::Persistent> {};

const lab::RungEntry entry{"ch10:tcgen05_two_sm",
                           {.name = "pair_256x256",
                            .step = 2,
                            .builds_on = "pair_256x128",
                            .idea = "256x256: 128x256 of results in each block",
                            .look_at = "32 KiB a block and k-block for twice the products",
                            .needs = lab::Needs::sm_100a,
                            .prepare = chapters::run_tcgen05_row_by_row<WidePairRecipe>}};

}  // namespace
