// expect: Tcgen05ScaledOutput<true, aisp::tile::Store::tma, 128, 64>
#include "tile/collective/gemm_rules_sm100.hpp"

using namespace aisp::tile;

static_assert(sm100_admitted<Sm100Config{.a = Element::e2m1,
                                         .b = Element::e2m1,
                                         .out = Element::e2m1,
                                         .tile_k = 256,
                                         .scaling = Scaling::nv,
                                         .out_scaling = Scaling::nv}>);
