// expect: PingPong<3>
#include "tile/collective/gemm_rules_sm90.hpp"

using namespace aisp;

constexpr tile::Sm90Config config{
    .tile_n = 64, .roles = tile::Roles::ping_pong, .math_warpgroups = 3, .math_registers = 128};
static_assert(tile::admitted<config>);
