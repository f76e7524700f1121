// Blackwell, bf16: operands that are contiguous along m or n.
#include "tile/instances/instances.hpp"
#include "tile/instances/recipes_sm100.cuh"

namespace aisp::tile::device {

void add_umma_bf16_majors(RecipeTable& table) {
  add_umma<Umma256x128Pair<types::bf16_a_mn>, Umma256x128Pair<types::bf16_b_mn>,
           Umma256x128Pair<types::bf16_both_mn>>(table);
}

}  // namespace aisp::tile::device
