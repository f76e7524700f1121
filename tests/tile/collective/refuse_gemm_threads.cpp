// expect: Threads<1152>
#include "tile/collective/gemm_rules_sm90.hpp"

using namespace aisp;

constexpr tile::Sm90Config config{.tile_m = 512,
                                  .tile_n = 16,
                                  .stages = 2,
                                  .math_warpgroups = 8,
                                  .loader_registers = 24,
                                  .math_registers = 48};
static_assert(tile::admitted<config>);
