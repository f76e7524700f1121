// Rung 0: one buffer of shared memory, one thread that loads and multiplies, in turn. The
// accumulators are in tensor memory: no warp holds a fragment of anything.
#include "chapters/common/tcgen05_rung.cuh"
#include "tile/schedule/single.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100Config config{.stages = 1, .accumulators = 1, .store = tile::Store::direct};

struct OneStageRecipe : tile::Sm100SingleRoleRecipe<config, tile::Accumulator, tile::SingleTile> {};

const lab::RungEntry entry{"ch10:matmul_tcgen05",
                           {.name = "one_stage",
                            .step = 0,
                            .builds_on = "",
                            .idea = "one thread loads, waits, multiplies, waits",
                            .look_at = "four warps have nothing to do until the tile is stored",
                            .needs = lab::Needs::sm_100a,
                            .prepare = chapters::run_tcgen05_row_by_row<OneStageRecipe>}};

}  // namespace
