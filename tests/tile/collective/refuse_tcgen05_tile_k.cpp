// expect: TileK<24, 16>
#include "tile/collective/gemm_rules_sm100.hpp"

using namespace aisp::tile;

static_assert(sm100_admitted<Sm100Config{.tile_k = 24}>);
