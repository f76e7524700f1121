// Rung 6: two multiprocessors compute one tile of 256x128: each has half of the rows of A, of B and
// of the accumulators. One thread issues for both.
#include "chapters/common/tcgen05_rung.cuh"
#include "tile/schedule/launch_control.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100Config config{
    .tile_m = 256, .tile_n = 128, .stages = 6, .cta_group = 2, .store = tile::Store::direct};

struct PairRecipe : tile::Sm100Recipe<config, tile::Accumulator, tile::LaunchControl> {};

const lab::RungEntry entry{
    "ch10:matmul_tcgen05",
    {.name = "pair",
     .step = 6,
     .builds_on = "launch_control",
     .idea = "two multiprocessors share a tile of 256x128, and each holds half of B",
     .look_at = "24 KiB a block and k-block instead of 32",
     .needs = lab::Needs::sm_100a,
     .prepare = chapters::run_tcgen05_row_by_row<PairRecipe>}};

}  // namespace
