// Kernels for sm_80 and later with a bias and an activation, where rows of A and B are aligned.
#include "tile/instances/gemm_sm80/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_multistage_fused(GemmTable& table) {
  add_multistage_fused_of<types::bf16, types::bf16_b_mn, types::f16, types::f16_b_mn>(table);
}

}  // namespace aisp::tile::device
