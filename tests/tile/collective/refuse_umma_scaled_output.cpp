// expect: UmmaScaledOutput<true, aisp::tile::Store::tma, 128, 64>
#include "tile/collective/umma_rules.hpp"

using namespace aisp::tile;

static_assert(umma_admitted<UmmaConfig{.a = Element::e2m1,
                                       .b = Element::e2m1,
                                       .out = Element::e2m1,
                                       .tile_k = 256,
                                       .scaling = Scaling::nv,
                                       .out_scaling = Scaling::nv}>);
