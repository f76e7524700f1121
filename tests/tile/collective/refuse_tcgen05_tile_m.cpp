// expect: Tcgen05TileM<256, 1>
#include "tile/collective/gemm_rules_sm100.hpp"

using namespace aisp::tile;

static_assert(sm100_admitted<Sm100Config{.tile_m = 256}>);
