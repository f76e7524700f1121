// expect: RegisterSteps<40, 230>
#include "tile/collective/gemm_rules_sm90.hpp"

using namespace aisp;

constexpr tile::Sm90Config config{.math_registers = 230};
static_assert(tile::admitted<config>);
