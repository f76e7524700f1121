// expect: Tcgen05Elements<aisp::tile::Element::e4m3, aisp::tile::Element::e4m3,
// aisp::tile::Scaling::nv>
#include "tile/collective/gemm_rules_sm100.hpp"

using namespace aisp::tile;

static_assert(sm100_admitted<Sm100Config{
                  .a = Element::e4m3, .b = Element::e4m3, .tile_k = 128, .scaling = Scaling::nv}>);
