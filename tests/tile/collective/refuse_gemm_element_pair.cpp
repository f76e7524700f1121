// expect: ElementPair<aisp::tile::Element::f16, aisp::tile::Element::bf16>
// Products of two 16-bit formats have no common instruction.
#include "tile/collective/gemm_rules.hpp"

using namespace aisp;

constexpr tile::GemmConfig config{.a = tile::Element::f16};
static_assert(tile::admitted<config>);
