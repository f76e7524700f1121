// expect: TileN<100>
// Columns of an instruction come in steps of 8.
#include "tile/collective/gemm_rules.hpp"

using namespace aisp;

constexpr tile::GemmConfig config{.tile_n = 100};
static_assert(tile::admitted<config>);
