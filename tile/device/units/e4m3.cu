// e4m3 into bf16: large tiles.
#include "tile/device/units/recipes.cuh"
#include "tile/device/units/units.hpp"

namespace tile::device {
namespace {

constexpr Types to_bf16{.a = Element::e4m3, .b = Element::e4m3, .out = Element::bf16};

}  // namespace

void add_e4m3(RecipeTable& table) {
  add<Cooperative128x256<to_bf16>, Cooperative128x256Pair<to_bf16>, StreamK128x256<to_bf16>,
      PingPong128x112<to_bf16>, PingPong128x128<to_bf16>, PingPong128x160<to_bf16>,
      PingPong128x192Pair<to_bf16>>(table);
}

}  // namespace tile::device
