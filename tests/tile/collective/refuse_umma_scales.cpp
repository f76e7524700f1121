// expect: UmmaScales<true, 64, 128, 256, 64>
#include "tile/collective/umma_rules.hpp"

using namespace aisp::tile;

static_assert(umma_admitted<UmmaConfig{.a = Element::e2m1,
                                       .b = Element::e2m1,
                                       .tile_m = 64,
                                       .tile_k = 256,
                                       .scaling = Scaling::nv}>);
