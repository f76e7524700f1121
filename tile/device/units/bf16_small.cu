// bf16: small tiles and shared ones.
#include "tile/device/units/recipes.cuh"
#include "tile/device/units/units.hpp"

namespace tile::device {

void add_bf16_small(RecipeTable& table) {
  add<Single64x128<types::bf16>, Cooperative128x64<types::bf16>, Slices128x128Pair<types::bf16>,
      Slices128x64<types::bf16>>(table);
}

}  // namespace tile::device
