// bf16: large tiles.
#include "tile/device/units/recipes.cuh"
#include "tile/device/units/units.hpp"

namespace tile::device {
namespace {

constexpr Types bf16{.a = Element::bf16, .b = Element::bf16, .out = Element::bf16};

}  // namespace

void add_bf16_large(RecipeTable& table) {
  add<Cooperative128x256<bf16>, Cooperative128x256Pair<bf16>, StreamK128x256<bf16>>(table);
}

}  // namespace tile::device
