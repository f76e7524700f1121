// expect: AccumulatorsFit<256, 232>
// Ping-pong keeps a whole tile in the registers of one warpgroup.
#include "tile/collective/gemm_rules_sm90.hpp"

using namespace aisp;

constexpr tile::Sm90Config config{.stages = 3, .roles = tile::Roles::ping_pong};
static_assert(tile::admitted<config>);
