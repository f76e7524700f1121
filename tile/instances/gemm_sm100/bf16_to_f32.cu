// Blackwell, bf16 into f32.
#include "tile/instances/gemm_sm100/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_umma_bf16_to_f32(GemmTable& table) {
  add<Umma256x128Pair<types::bf16_to_f32>, UmmaDirect128x128<types::bf16_to_f32>,
      Umma256x128Pair<types::bf16_to_f32_a_mn>, Umma256x128Pair<types::bf16_to_f32_b_mn>,
      Umma256x128Pair<types::bf16_to_f32_both_mn>>(table);
}

}  // namespace aisp::tile::device
