// expect: Tcgen05Residents<2, 512, 512>
// Two blocks share the columns of an SM.
#include "tile/collective/gemm_rules_sm100.hpp"

using namespace aisp::tile;

static_assert(sm100_admitted<Sm100Config{.tile_n = 256, .stages = 1, .residents = 2}>);
