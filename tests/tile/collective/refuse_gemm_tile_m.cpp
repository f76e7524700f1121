// expect: TileM<96, 48>
// Two warpgroups, 48 rows each.
#include "tile/collective/gemm_rules_sm90.hpp"

using namespace aisp;

constexpr tile::Sm90Config config{.tile_m = 96, .tile_n = 128};
static_assert(tile::admitted<config>);
