// Blackwell: bf16 and f16 with a bias and an activation.
#include "tile/instances/gemm_sm100/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_sm100_fused(GemmTable& table) {
  using enum Epilogue;
  add<Tcgen05Tile256x256Pair<types::bf16, fused>, Tcgen05Tile128x128<types::bf16, fused>,
      Tcgen05Tile128x64<types::bf16, fused>, Tcgen05Direct128x128<types::bf16, fused>>(table);
  add<Tcgen05Tile256x256Pair<types::bf16_b_mn, fused>, Tcgen05Tile128x64<types::bf16_b_mn, fused>>(
      table);
  add<Tcgen05Tile256x256Pair<types::f16, fused>, Tcgen05Tile128x64<types::f16, fused>,
      Tcgen05Direct128x128<types::f16, fused>>(table);
  add<Tcgen05Tile128x64<types::f16_b_mn, fused>>(table);
}

}  // namespace aisp::tile::device
