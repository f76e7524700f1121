// expect: Counts<128, 256, 64, 0, 1, 1, 2, 2>
#include "tile/collective/gemm_rules.hpp"

using namespace aisp;

constexpr tile::GemmConfig config{.stages = 0};
static_assert(tile::admitted<config>);
