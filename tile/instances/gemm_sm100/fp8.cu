// Blackwell, 8-bit floats.
#include "tile/instances/gemm_sm100/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_umma_fp8(GemmTable& table) {
  add<Umma256x256Pair<types::e4m3_to_bf16>, Umma128x128<types::e4m3_to_bf16>,
      Umma256x128Pair<types::e4m3_to_f32>, Umma256x128Pair<types::e4m3_to_f16>,
      Umma256x128Pair<types::e4m3_to_e4m3>>(table);
  add<Umma256x128Pair<types::e5m2_e4m3>, Umma256x128Pair<types::e4m3_e5m2>,
      Umma256x128Pair<types::e5m2_e5m2>>(table);
}

}  // namespace aisp::tile::device
