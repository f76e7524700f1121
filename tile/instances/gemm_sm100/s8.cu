// Blackwell, s8: exact accumulators in s32, or scaled into bf16 or f32.
#include "tile/instances/gemm_sm100/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_umma_s8(GemmTable& table) {
  add<Umma256x128Pair<types::s8_to_s32>, Umma128x64<types::s8_to_s32>,
      Umma256x128Pair<types::s8_to_bf16>, Umma256x128Pair<types::s8_to_f32>>(table);
}

}  // namespace aisp::tile::device
