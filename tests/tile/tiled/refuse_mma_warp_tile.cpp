// expect: WarpTile<96, 4, 16>
// Four warps of 16 rows do not share 96 rows evenly.
#include "tile/atom/mma_sm80.hpp"
#include "tile/tiled/tiled_mma.hpp"

using namespace aisp;

constexpr tile::MmaTiling tiling{.tile_m = 96, .warps_m = 4, .warps_n = 2};
constexpr int threads = tile::TiledMma<tile::MmaSync<tile::Element::bf16>, tiling>::threads;
