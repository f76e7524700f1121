// Rung 8: two pairs, one below the other, need the same columns: each brings half of its B for
// both.
#include "chapters/common/tcgen05_rung.cuh"
#include "tile/schedule/launch_control.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100Config config{.tile_m = 256,
                                   .tile_n = 256,
                                   .stages = 5,
                                   .cta_group = 2,
                                   .cluster_m = 2,
                                   .store = tile::Store::direct};

struct PairMulticastRecipe : tile::Sm100Recipe<config, tile::Accumulator, tile::LaunchControl> {};

const lab::RungEntry entry{"ch10:matmul_tcgen05",
                           {.name = "pair_multicast",
                            .step = 8,
                            .builds_on = "wide_pair",
                            .idea = "two pairs of a cluster share their B",
                            .look_at = "bytes from L2; a cluster of four blocks",
                            .needs = lab::Needs::sm_100a,
                            .prepare = chapters::run_tcgen05_row_by_row<PairMulticastRecipe>}};

}  // namespace
