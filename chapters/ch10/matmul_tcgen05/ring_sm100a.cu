// Rung 1: a ring of four buffers between TMA and tcgen05: three k-blocks are under way.
#include "chapters/common/tcgen05_rung.cuh"
#include "tile/schedule/single.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100Config config{.stages = 4, .accumulators = 1, .store = tile::Store::direct};

struct RingRecipe : tile::Sm100SingleRoleRecipe<config, tile::Accumulator, tile::SingleTile> {};

const lab::RungEntry entry{
    "ch10:matmul_tcgen05",
    {.name = "ring",
     .step = 1,
     .builds_on = "one_stage",
     .idea = "a ring of four buffers between TMA and tcgen05",
     .look_at = "one thread still waits for two things in turn: a full buffer, an empty one",
     .needs = lab::Needs::sm_100a,
     .prepare = chapters::run_tcgen05_row_by_row<RingRecipe>}};

}  // namespace
