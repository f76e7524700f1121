// expect: ElementPair<aisp::tile::Element::f16, aisp::tile::Element::bf16>
// Products of two 16-bit formats have no common instruction.
#include "tile/collective/gemm_rules_sm90.hpp"

using namespace aisp;

constexpr tile::Sm90Config config{.a = tile::Element::f16};
static_assert(tile::admitted<config>);
