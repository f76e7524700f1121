// bf16: few rows, and rows that the copy engine cannot store.
#include "tile/device/units/recipes.cuh"
#include "tile/device/units/units.hpp"

namespace tile::device {
namespace {

constexpr Types bf16{.a = Element::bf16, .b = Element::bf16, .out = Element::bf16};

}  // namespace

void add_bf16_few_rows(RecipeTable& table) {
  add<FewRows16<bf16>, FewRows80<bf16>, FewRows128<bf16>, Turned128x144<bf16>, Direct128x128<bf16>>(
      table);
}

}  // namespace tile::device
