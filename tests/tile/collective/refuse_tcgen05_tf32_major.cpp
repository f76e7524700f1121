// expect: Tcgen05Major<aisp::tile::Element::tf32, aisp::tile::Major::mn>
#include "tile/collective/gemm_rules_sm100.hpp"

using namespace aisp::tile;

static_assert(sm100_admitted<Sm100Config{
                  .a = Element::tf32, .b = Element::tf32, .a_major = Major::mn, .tile_k = 32}>);
