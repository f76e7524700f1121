// The other 8-bit floats: e5m2, pairs of both, and results in f32 or e4m3.
#include "tile/device/units/recipes.cuh"
#include "tile/device/units/units.hpp"

namespace tile::device {
namespace {

constexpr Types e4m3_to_f32{.a = Element::e4m3, .b = Element::e4m3, .out = Element::f32};
constexpr Types e4m3_to_f16{.a = Element::e4m3, .b = Element::e4m3, .out = Element::f16};
constexpr Types e4m3_to_e4m3{.a = Element::e4m3, .b = Element::e4m3, .out = Element::e4m3};
constexpr Types e5m2_e4m3{.a = Element::e5m2, .b = Element::e4m3, .out = Element::bf16};
constexpr Types e4m3_e5m2{.a = Element::e4m3, .b = Element::e5m2, .out = Element::bf16};
constexpr Types e5m2_e5m2{.a = Element::e5m2, .b = Element::e5m2, .out = Element::bf16};

}  // namespace

void add_fp8_pairs(RecipeTable& table) {
  add<PingPong128x128Pair<e4m3_to_f32>>(table);
  add<PingPong128x128Pair<e4m3_to_f16>>(table);
  add<PingPong128x128Pair<e4m3_to_e4m3>>(table);
  add<PingPong128x128Pair<e5m2_e4m3>>(table);
  add<PingPong128x128Pair<e4m3_e5m2>>(table);
  add<PingPong128x128Pair<e5m2_e5m2>>(table);
}

}  // namespace tile::device
