// expect: TmemFits<768, 512>
#include "tile/collective/umma_rules.hpp"

using namespace aisp::tile;

static_assert(umma_admitted<UmmaConfig{.tile_n = 256, .stages = 2, .accumulators = 3}>);
