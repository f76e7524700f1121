// expect: AccumulatorsFit<256, 232>
// Promotion doubles the accumulators.
#include "tile/collective/gemm_rules_sm90.hpp"

using namespace aisp;

constexpr tile::Sm90Config config{.a = tile::Element::e4m3,
                                  .b = tile::Element::e4m3,
                                  .tile_k = 128,
                                  .stages = 3,
                                  .promote = true};
static_assert(tile::admitted<config>);
