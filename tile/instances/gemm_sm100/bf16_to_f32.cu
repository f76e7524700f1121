// Blackwell, bf16 into f32.
#include "tile/instances/gemm_sm100/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_sm100_bf16_to_f32(GemmTable& table) {
  add<Tcgen05Tile256x128Pair<types::bf16_to_f32>, Tcgen05Direct128x128<types::bf16_to_f32>,
      Tcgen05Tile256x128Pair<types::bf16_to_f32_a_mn>,
      Tcgen05Tile256x128Pair<types::bf16_to_f32_b_mn>,
      Tcgen05Tile256x128Pair<types::bf16_to_f32_both_mn>>(table);
}

}  // namespace aisp::tile::device
