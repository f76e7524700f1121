// Blackwell, bf16: operands that are contiguous along m or n.
#include "tile/instances/gemm_sm100/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_umma_bf16_majors(GemmTable& table) {
  add<Umma256x128Pair<types::bf16_a_mn>, Umma256x128Pair<types::bf16_b_mn>,
      Umma256x128Pair<types::bf16_both_mn>>(table);
}

}  // namespace aisp::tile::device
