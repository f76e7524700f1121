// Rung 1: a warp that loads, one that multiplies, four that store. With one accumulator the loads
// of the next tile run ahead of the stores, its products do not.
#include "chapters/common/tcgen05_rung.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100Config config{.stages = 4, .accumulators = 1, .store = tile::Store::direct};

struct LoadAndMultiplyRecipe : tile::Sm100Recipe<config, tile::Accumulator, tile::Persistent> {};

const lab::RungEntry entry{"ch10:tcgen05_warp_specialization",
                           {.name = "load_and_multiply",
                            .step = 1,
                            .builds_on = "single_role",
                            .idea = "loads, products and stores in warps of their own",
                            .look_at = "the ring is full when the accumulator becomes free",
                            .needs = lab::Needs::sm_100a,
                            .prepare = chapters::run_tcgen05_row_by_row<LoadAndMultiplyRecipe>}};

}  // namespace
