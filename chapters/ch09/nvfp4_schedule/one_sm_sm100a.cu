// Rung 1: said by the caller: one multiprocessor for a tile, roles, two accumulators, persistent
// blocks that walk along n first. As many stages as the library's recipes have.
#include "chapters/ch09/common/nvfp4_recipe_rung.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100Config config = ch09::nvfp4::few_rows(6, 2);

struct Nvfp4OneSmRecipe : tile::Sm100Recipe<config, tile::Accumulator, tile::Persistent> {};

const lab::RungEntry entry{"ch09:nvfp4_schedule",
                           {.name = "one_sm",
                            .step = 1,
                            .builds_on = "automatic",
                            .idea = "one-SM warp-specialised schedule, said explicitly",
                            .look_at = "one tile after the other by the same blocks",
                            .needs = lab::Needs::sm_100a,
                            .prepare = ch09::nvfp4::run<Nvfp4OneSmRecipe>}};

}  // namespace
