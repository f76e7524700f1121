// expect: TileN<264>
// One instruction has at most 256 columns.
#include "tile/collective/gemm_rules_sm90.hpp"

using namespace aisp;

constexpr tile::Sm90Config config{.tile_n = 264, .stages = 3};
static_assert(tile::admitted<config>);
