// Rung 7: a tile of 256x256 for the pair. Tensor memory is full: two accumulators of 256 columns.
#include "chapters/common/tcgen05_rung.cuh"
#include "tile/schedule/launch_control.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100Config config{
    .tile_m = 256, .tile_n = 256, .stages = 5, .cta_group = 2, .store = tile::Store::direct};

struct WidePairRecipe : tile::Sm100Recipe<config, tile::Accumulator, tile::LaunchControl> {};

const lab::RungEntry entry{
    "ch10:matmul_tcgen05",
    {.name = "wide_pair",
     .step = 7,
     .builds_on = "pair",
     .idea = "256x256 for a pair: twice the products for each byte of A",
     .look_at =
         "all 512 columns of tensor memory; 32 KiB a block and k-block for twice the results",
     .needs = lab::Needs::sm_100a,
     .prepare = chapters::run_tcgen05_row_by_row<WidePairRecipe>}};

}  // namespace
