// Rung 2: four warps multiply together, straight from shared memory, and no fragment passes through
// registers. Only that: one buffer, and tiles lie plainly, in columns of 16 bytes.
#include "chapters/ch10/common/recipe_rung.cuh"
#include "tile/schedule/single.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm90Config config{.tile_m = 128,
                                  .tile_n = 128,
                                  .stages = 1,
                                  .store = tile::Store::direct,
                                  .swizzle = tile::SwizzleMode::none};

struct WgmmaRecipe : tile::Sm90SingleRoleRecipe<config, tile::Accumulator, tile::SingleTile> {};

const lab::RungEntry entry{
    "ch10:matmul",
    {.name = "wgmma",
     .step = 2,
     .builds_on = "tma",
     .idea = "wgmma reads both operands from shared memory",
     .look_at =
         "a k-block is 16 boxes of 16-byte lines: TMA is the limit, the products wait for it",
     .needs = lab::Needs::sm_90a,
     .prepare = ch10::run_row_by_row<WgmmaRecipe>}};

}  // namespace
