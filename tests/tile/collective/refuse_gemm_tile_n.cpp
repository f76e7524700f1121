// expect: TileN<100>
// Columns of an instruction come in steps of 8.
#include "tile/collective/gemm_rules_sm90.hpp"

using namespace aisp;

constexpr tile::Sm90Config config{.tile_n = 100};
static_assert(tile::admitted<config>);
