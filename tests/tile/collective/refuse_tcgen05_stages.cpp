// expect: SharedMemory<296960, 232448>
#include "tile/collective/gemm_rules_sm100.hpp"

using namespace aisp::tile;

static_assert(
    sm100_admitted<Sm100Config{.tile_m = 256, .tile_n = 256, .stages = 8, .cta_group = 2}>);
