// expect: ClusterSize<4, 4>
#include "tile/collective/gemm_rules.hpp"

using namespace aisp;

constexpr tile::GemmConfig config{.tile_n = 128, .cluster_m = 4, .cluster_n = 4};
static_assert(tile::admitted<config>);
