// expect: Tcgen05Rows<96, 1>
#include "tile/atom/tcgen05.hpp"

using namespace aisp::tile;

constexpr int k = Tcgen05<Element::bf16, Element::bf16, 96, 128>::k;
