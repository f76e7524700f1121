// expect: RegisterSteps<40, 230>
#include "tile/collective/gemm_rules.hpp"

using namespace aisp;

constexpr tile::GemmConfig config{.math_registers = 230};
static_assert(tile::admitted<config>);
