// Rung 2: warps with roles. One thread loads, one multiplies, four warps store: nobody waits for
// what is not its own.
#include "chapters/common/tcgen05_rung.cuh"
#include "tile/schedule/single.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100Config config{.stages = 4, .accumulators = 1, .store = tile::Store::direct};

struct RolesRecipe : tile::Sm100Recipe<config, tile::Accumulator, tile::SingleTile> {};

const lab::RungEntry entry{
    "ch10:matmul_tcgen05",
    {.name = "roles",
     .step = 2,
     .builds_on = "ring",
     .idea = "a warp that loads, one that multiplies, four that store",
     .look_at = "the loader waits for empty buffers alone, the issuer for full ones",
     .needs = lab::Needs::sm_100a,
     .prepare = chapters::run_tcgen05_row_by_row<RolesRecipe>}};

}  // namespace
