// expect: Tcgen05Columns<48, 32>
// Integers in a pair of blocks: n in steps of 32.
#include "tile/atom/tcgen05.hpp"

using namespace aisp::tile;

constexpr int k = Tcgen05<Element::s8, Element::s8, 256, 48, 2>::k;
