// expect: UmmaTileM<256, 1>
#include "tile/collective/umma_rules.hpp"

using namespace aisp::tile;

static_assert(umma_admitted<UmmaConfig{.tile_m = 256}>);
