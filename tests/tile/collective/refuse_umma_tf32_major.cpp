// expect: UmmaMajor<aisp::tile::Element::tf32, aisp::tile::Major::mn>
#include "tile/collective/umma_rules.hpp"

using namespace aisp::tile;

static_assert(umma_admitted<UmmaConfig{
                  .a = Element::tf32, .b = Element::tf32, .a_major = Major::mn, .tile_k = 32}>);
