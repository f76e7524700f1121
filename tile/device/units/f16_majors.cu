// f16: operands that are contiguous along m or n, and f16 into f32.
#include "tile/device/units/recipes.cuh"
#include "tile/device/units/units.hpp"

namespace tile::device {
namespace {

constexpr Types to_f32{.a = Element::f16, .b = Element::f16, .out = Element::f32};
constexpr Types a_mn{
    .a = Element::f16, .b = Element::f16, .out = Element::f16, .a_major = Major::mn};
constexpr Types b_mn{
    .a = Element::f16, .b = Element::f16, .out = Element::f16, .b_major = Major::mn};
constexpr Types both_mn{.a = Element::f16,
                        .b = Element::f16,
                        .out = Element::f16,
                        .a_major = Major::mn,
                        .b_major = Major::mn};

}  // namespace

void add_f16_majors(RecipeTable& table) {
  add<PingPong128x128Pair<to_f32>>(table);
  add<PingPong128x128Pair<a_mn>>(table);
  add<PingPong128x128Pair<b_mn>>(table);
  add<PingPong128x128Pair<both_mn>>(table);
}

}  // namespace tile::device
