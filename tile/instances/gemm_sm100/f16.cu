// Blackwell, f16.
#include "tile/instances/gemm_sm100/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_umma_f16(GemmTable& table) {
  add<Umma256x256Pair<types::f16>, Umma128x128<types::f16>, Umma256x128Pair<types::f16_a_mn>,
      Umma256x128Pair<types::f16_b_mn>, Umma256x128Pair<types::f16_both_mn>,
      Umma256x128Pair<types::f16_to_f32>>(table);
}

}  // namespace aisp::tile::device
