// expect: no FMA reads 8-bit floats
#include "tile/atom/simt.hpp"

using namespace aisp;

constexpr int k = tile::Simt<tile::Element::e4m3>::k;
