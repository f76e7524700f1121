// Rung 3: lines of 128 bytes whose 16-byte units are permuted within 8 lines. TMA writes them so,
// wgmma reads them so: a tile is one box, and neither side meets a bank conflict.
#include "chapters/ch10/common/recipe_rung.cuh"
#include "tile/schedule/single.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm90Config config{.tile_m = 128,
                                  .tile_n = 128,
                                  .stages = 1,
                                  .store = tile::Store::direct,
                                  .swizzle = tile::SwizzleMode::bytes_128};
static_assert(config.a_tile().panels() == 1 && config.b_tile().panels() == 1);

struct SwizzledRecipe : tile::Sm90SingleRoleRecipe<config, tile::Accumulator, tile::SingleTile> {};

const lab::RungEntry entry{
    "ch10:matmul",
    {.name = "swizzled",
     .step = 3,
     .builds_on = "wgmma",
     .idea = "the same permutation in TMA and wgmma",
     .look_at = "two boxes per k-block instead of sixteen; no bank conflicts",
     .needs = lab::Needs::sm_90a,
     .prepare = ch10::run_row_by_row<SwizzledRecipe>}};

}  // namespace
