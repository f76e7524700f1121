// bf16 with a bias and an activation. Large tiles; rows that TMA cannot store; few rows, computed
// transposed and with K split between blocks.
#include "tile/instances/gemm_sm90/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_fused_bf16(GemmTable& table) {
  using enum Epilogue;
  add<PingPong128x128<types::bf16, fused>, Cooperative128x256Pair<types::bf16, fused>,
      PingPong128x192Pair<types::bf16, fused_scaled>, Single64x128<types::bf16, fused>,
      Direct128x128<types::bf16, fused>>(table);
  add<FewRows16<types::bf16, fused_transposed>, FewRows80<types::bf16, fused_transposed>,
      FewRows128<types::bf16, fused_transposed>>(table);
  add<PingPong128x128<types::bf16_b_mn, fused>>(table);
}

}  // namespace aisp::tile::device
