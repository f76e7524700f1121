// expect: UmmaRows<96, 1>
#include "tile/atom/umma.hpp"

using namespace aisp::tile;

constexpr int k = Umma<Element::bf16, Element::bf16, 96, 128>::k;
