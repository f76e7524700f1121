// bf16: few rows, and rows that the copy engine cannot store.
#include "tile/device/units/recipes.cuh"
#include "tile/device/units/units.hpp"

namespace tile::device {

void add_bf16_few_rows(RecipeTable& table) {
  add<FewRows16<types::bf16>, FewRows80<types::bf16>, FewRows128<types::bf16>,
      Turned128x144<types::bf16>, Direct128x128<types::bf16>>(table);
}

}  // namespace tile::device
