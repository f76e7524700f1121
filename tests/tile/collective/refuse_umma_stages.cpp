// expect: SharedMemory<296960, 232448>
#include "tile/collective/umma_rules.hpp"

using namespace aisp::tile;

static_assert(umma_admitted<UmmaConfig{.tile_m = 256, .tile_n = 256, .stages = 8, .cta_group = 2}>);
