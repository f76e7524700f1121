// Rung 1: a pair computes 256x128: each block has its own rows of A and half of B, which the tensor
// cores of both read.
#include "chapters/common/tcgen05_rung.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100Config config{
    .tile_m = 256, .tile_n = 128, .stages = 6, .cta_group = 2, .store = tile::Store::direct};

struct PairRecipe : tile::Sm100Recipe<config, tile::Accumulator, tile::Persistent> {};

const lab::RungEntry entry{"ch10:tcgen05_two_sm",
                           {.name = "pair_256x128",
                            .step = 1,
                            .builds_on = "one_sm",
                            .idea = "two multiprocessors, one tile of 256x128: half of B in each",
                            .look_at = "24 KiB a block and k-block for as many products",
                            .needs = lab::Needs::sm_100a,
                            .prepare = chapters::run_tcgen05_row_by_row<PairRecipe>}};

}  // namespace
