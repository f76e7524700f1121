// expect: ClusterSize<4, 4>
#include "tile/collective/gemm_rules_sm90.hpp"

using namespace aisp;

constexpr tile::Sm90Config config{.tile_n = 128, .cluster_m = 4, .cluster_n = 4};
static_assert(tile::admitted<config>);
