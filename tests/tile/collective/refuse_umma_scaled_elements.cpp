// expect: UmmaElements<aisp::tile::Element::e4m3, aisp::tile::Element::e4m3,
// aisp::tile::Scaling::nv>
#include "tile/collective/umma_rules.hpp"

using namespace aisp::tile;

static_assert(umma_admitted<UmmaConfig{
                  .a = Element::e4m3, .b = Element::e4m3, .tile_k = 128, .scaling = Scaling::nv}>);
