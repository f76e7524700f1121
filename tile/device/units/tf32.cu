// f32 data, of which the matrix unit reads the upper 19 bits.
#include "tile/device/units/recipes.cuh"
#include "tile/device/units/units.hpp"

namespace tile::device {
namespace {

constexpr Types tf32{.a = Element::tf32, .b = Element::tf32, .out = Element::f32};

}  // namespace

void add_tf32(RecipeTable& table) {
  add<Cooperative128x256Pair<tf32>, PingPong128x128Pair<tf32>, Slices128x64<tf32>,
      Direct128x128<tf32>>(table);
}

}  // namespace tile::device
