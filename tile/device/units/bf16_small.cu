// bf16: small tiles and shared ones.
#include "tile/device/units/recipes.cuh"
#include "tile/device/units/units.hpp"

namespace tile::device {
namespace {

constexpr Types bf16{.a = Element::bf16, .b = Element::bf16, .out = Element::bf16};

}  // namespace

void add_bf16_small(RecipeTable& table) {
  add<Single64x128<bf16>, Cooperative128x64<bf16>, Slices128x128Pair<bf16>, Slices128x64<bf16>>(
      table);
}

}  // namespace tile::device
