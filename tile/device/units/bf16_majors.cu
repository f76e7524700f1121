// bf16: operands that are contiguous along m or n.
#include "tile/device/units/recipes.cuh"
#include "tile/device/units/units.hpp"

namespace tile::device {
namespace {

constexpr Types a_mn{
    .a = Element::bf16, .b = Element::bf16, .out = Element::bf16, .a_major = Major::mn};
constexpr Types b_mn{
    .a = Element::bf16, .b = Element::bf16, .out = Element::bf16, .b_major = Major::mn};
constexpr Types both_mn{.a = Element::bf16,
                        .b = Element::bf16,
                        .out = Element::bf16,
                        .a_major = Major::mn,
                        .b_major = Major::mn};

}  // namespace

void add_bf16_majors(RecipeTable& table) {
  add<PingPong128x128Pair<a_mn>, Slices128x64<a_mn>>(table);
  add<PingPong128x128Pair<b_mn>, Slices128x64<b_mn>>(table);
  add<PingPong128x128Pair<both_mn>, Slices128x64<both_mn>>(table);
}

}  // namespace tile::device
