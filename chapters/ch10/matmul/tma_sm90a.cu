// Rung 1: one thread asks for whole tiles; the products are those of rung 0. TMA computes
// addresses, swizzles and clips at the edges, and an mbarrier counts its bytes.
#include "chapters/ch10/common/recipe_rung.cuh"
#include "tile/collective/load/tma_feed.cuh"
#include "tile/schedule/single.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm80Config config{
    .tile_m = 128, .tile_n = 256, .tile_k = 32, .stages = 4, .warps_m = 2, .warps_n = 4};
using Epilogue = tile::FragmentEpilogue<tile::Accumulator, tile::Element::bf16>;

struct TmaRecipe : tile::Sm80Recipe<tile::MmaSync<tile::Element::bf16>, config, Epilogue,
                                    tile::SingleTile, tile::TmaFeed> {};

const lab::RungEntry entry{
    "ch10:matmul",
    {.name = "tma",
     .step = 1,
     .builds_on = "mma_sync",
     .idea = "one thread asks for a tile, TMA does the rest",
     .look_at = "no address arithmetic and no LDGSTS between the products; fewer registers",
     .needs = lab::Needs::sm_90a,
     .prepare = ch10::run_multistage<TmaRecipe>}};

}  // namespace
