// expect: (264 <= 256)
#include "tile/atom/wgmma.hpp"

using namespace aisp;

constexpr int sums = tile::Wgmma<tile::Element::bf16, 264>::accumulators;
