// Blackwell: bf16 and f16 with a bias and an activation.
#include "tile/instances/gemm_sm100/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_umma_fused(GemmTable& table) {
  using enum Epilogue;
  add<Umma256x256Pair<types::bf16, fused>, Umma128x128<types::bf16, fused>,
      Umma128x64<types::bf16, fused>, UmmaDirect128x128<types::bf16, fused>>(table);
  add<Umma256x256Pair<types::bf16_b_mn, fused>, Umma128x64<types::bf16_b_mn, fused>>(table);
  add<Umma256x256Pair<types::f16, fused>, Umma128x64<types::f16, fused>,
      UmmaDirect128x128<types::f16, fused>>(table);
  add<Umma128x64<types::f16_b_mn, fused>>(table);
}

}  // namespace aisp::tile::device
