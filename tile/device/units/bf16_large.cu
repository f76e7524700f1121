// bf16: large tiles.
#include "tile/device/units/recipes.cuh"
#include "tile/device/units/units.hpp"

namespace tile::device {

void add_bf16_large(RecipeTable& table) {
  add<Cooperative128x256<types::bf16>, Cooperative128x256Pair<types::bf16>,
      StreamK128x256<types::bf16>>(table);
}

}  // namespace tile::device
