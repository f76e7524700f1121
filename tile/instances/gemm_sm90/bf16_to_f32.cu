// bf16 into f32, as gradients of weights are added up.
#include "tile/instances/gemm_sm90/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_bf16_to_f32(GemmTable& table) {
  add<Cooperative128x256Pair<types::bf16_to_f32>, SplitK128x64<types::bf16_to_f32>>(table);
  add<PingPong128x128Pair<types::bf16_to_f32_a_mn>>(table);
  add<PingPong128x128Pair<types::bf16_to_f32_b_mn>>(table);
  add<PingPong128x128Pair<types::bf16_to_f32_both_mn>>(table);
}

}  // namespace aisp::tile::device
