// f16: the shapes that matter most of those of bf16.
#include "tile/device/units/recipes.cuh"
#include "tile/device/units/units.hpp"

namespace tile::device {
namespace {

constexpr Types f16{.a = Element::f16, .b = Element::f16, .out = Element::f16};

}  // namespace

void add_f16(RecipeTable& table) {
  add<Cooperative128x256Pair<f16>, PingPong128x128Pair<f16>, PingPong128x192Pair<f16>,
      Slices128x64<f16>, FewRows16<f16>, Direct128x128<f16>>(table);
}

}  // namespace tile::device
