// expect: TmemFits<768, 512>
#include "tile/collective/gemm_rules_sm100.hpp"

using namespace aisp::tile;

static_assert(sm100_admitted<Sm100Config{.tile_n = 256, .stages = 2, .accumulators = 3}>);
