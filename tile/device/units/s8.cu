// s8: exact sums in s32, or scaled into bf16 or f32.
#include "tile/device/units/recipes.cuh"
#include "tile/device/units/units.hpp"

namespace tile::device {
namespace {

constexpr Types exact{.a = Element::s8, .b = Element::s8, .out = Element::s32};
constexpr Types to_bf16{.a = Element::s8, .b = Element::s8, .out = Element::bf16};
constexpr Types to_f32{.a = Element::s8, .b = Element::s8, .out = Element::f32};

}  // namespace

void add_s8(RecipeTable& table) {
  add<Cooperative128x256Pair<exact>, PingPong128x128Pair<exact>, Slices128x64<exact>>(table);
  add<PingPong128x128Pair<to_bf16>>(table);
  add<PingPong128x128Pair<to_f32>>(table);
}

}  // namespace tile::device
