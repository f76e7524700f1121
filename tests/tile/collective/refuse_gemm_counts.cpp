// expect: Counts<128, 256, 64, 0, 1, 1, 2, 2>
#include "tile/collective/gemm_rules_sm90.hpp"

using namespace aisp;

constexpr tile::Sm90Config config{.stages = 0};
static_assert(tile::admitted<config>);
