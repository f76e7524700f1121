// expect: TileK<72, 16>
// One instruction takes 16 k elements of 16 bits.
#include "tile/collective/gemm_rules.hpp"

using namespace aisp;

constexpr tile::GemmConfig config{.tile_k = 72, .stages = 3};
static_assert(tile::admitted<config>);
