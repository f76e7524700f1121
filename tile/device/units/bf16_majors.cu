// bf16: operands that are contiguous along m or n.
#include "tile/device/units/recipes.cuh"
#include "tile/device/units/units.hpp"

namespace tile::device {

void add_bf16_majors(RecipeTable& table) {
  add<PingPong128x128Pair<types::bf16_a_mn>, Slices128x64<types::bf16_a_mn>>(table);
  add<PingPong128x128Pair<types::bf16_b_mn>, Slices128x64<types::bf16_b_mn>>(table);
  add<PingPong128x128Pair<types::bf16_both_mn>, Slices128x64<types::bf16_both_mn>>(table);
}

}  // namespace tile::device
