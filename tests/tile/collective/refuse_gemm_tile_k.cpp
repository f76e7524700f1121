// expect: TileK<72, 16>
// One instruction takes 16 k elements of 16 bits.
#include "tile/collective/gemm_rules_sm90.hpp"

using namespace aisp;

constexpr tile::Sm90Config config{.tile_k = 72, .stages = 3};
static_assert(tile::admitted<config>);
