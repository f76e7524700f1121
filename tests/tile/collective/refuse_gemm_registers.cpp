// expect: Registers<68608, 65536>
// More registers than a multiprocessor has.
#include "tile/collective/gemm_rules_sm90.hpp"

using namespace aisp;

constexpr tile::Sm90Config config{.math_registers = 248};
static_assert(tile::admitted<config>);
