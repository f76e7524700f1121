// expect: MajorOfElement<aisp::tile::Element::e4m3, aisp::tile::Major::mn>
// 8-bit operands are read along k only.
#include "tile/collective/gemm_rules_sm90.hpp"

using namespace aisp;

constexpr tile::Sm90Config config{
    .a = tile::Element::e4m3, .b = tile::Element::e4m3, .b_major = tile::Major::mn};
static_assert(tile::admitted<config>);
