// expect: TileK<24, 16>
#include "tile/collective/umma_rules.hpp"

using namespace aisp::tile;

static_assert(umma_admitted<UmmaConfig{.tile_k = 24}>);
