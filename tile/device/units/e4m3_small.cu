// e4m3 into bf16: small tiles, shared ones, few rows.
#include "tile/device/units/recipes.cuh"
#include "tile/device/units/units.hpp"

namespace tile::device {
namespace {

constexpr Types to_bf16{.a = Element::e4m3, .b = Element::e4m3, .out = Element::bf16};

}  // namespace

void add_e4m3_small(RecipeTable& table) {
  add<Single64x128<to_bf16>, Slices128x128Pair<to_bf16>, Slices128x64<to_bf16>, FewRows16<to_bf16>,
      FewRows80<to_bf16>, Turned128x144<to_bf16>, Direct128x128<to_bf16>>(table);
}

}  // namespace tile::device
