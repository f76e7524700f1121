// expect: Tcgen05Scales<true, 64, 128, 256, 64>
#include "tile/collective/gemm_rules_sm100.hpp"

using namespace aisp::tile;

static_assert(sm100_admitted<Sm100Config{.a = Element::e2m1,
                                         .b = Element::e2m1,
                                         .tile_m = 64,
                                         .tile_k = 256,
                                         .scaling = Scaling::nv}>);
