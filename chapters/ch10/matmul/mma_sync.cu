// Rung 0: the kernel of Ampere. All threads copy tiles to shared memory by cp.async, three tiles
// ahead, read fragments by ldmatrix and multiply them warp by warp with mma.sync.
#include "chapters/ch10/common/recipe_rung.cuh"
#include "tile/schedule/single.hpp"

using namespace aisp;

namespace {

// 8 warps of 64x64: a warp reads 8 KiB of fragments for 2 * 64 * 64 * 32 operations.
constexpr tile::Sm80Config config{
    .tile_m = 128, .tile_n = 256, .tile_k = 32, .stages = 4, .warps_m = 2, .warps_n = 4};
using Epilogue = tile::FragmentEpilogue<tile::Accumulator, tile::Element::bf16>;

struct MmaSyncRecipe
    : tile::Sm80Recipe<tile::MmaSync<tile::Element::bf16>, config, Epilogue, tile::SingleTile> {};

const lab::RungEntry entry{"ch10:matmul",
                           {.name = "mma_sync",
                            .step = 0,
                            .builds_on = "",
                            .idea = "mma.sync on tiles that cp.async brought",
                            .look_at = "every warp reads its own fragments: shared memory and "
                                       "issue slots, not the matrix unit, are busy",
                            .prepare = ch10::run_multistage<MmaSyncRecipe>}};

}  // namespace
