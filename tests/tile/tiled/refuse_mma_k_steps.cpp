// expect: KSteps<48, 16>
// Three k steps of 16: fragments alternate between two sets of registers.
#include "tile/atom/mma_sm80.hpp"
#include "tile/tiled/tiled_mma.hpp"

using namespace aisp;

constexpr tile::MmaTiling tiling{.tile_k = 48};
constexpr int threads = tile::TiledMma<tile::MmaSync<tile::Element::bf16>, tiling>::threads;
