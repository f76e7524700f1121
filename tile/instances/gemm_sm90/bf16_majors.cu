// bf16: operands that are contiguous along m or n.
#include "tile/instances/gemm_sm90/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_bf16_majors(GemmTable& table) {
  add<PingPong128x128Pair<types::bf16_a_mn>, SplitK128x64<types::bf16_a_mn>>(table);
  add<PingPong128x128Pair<types::bf16_b_mn>, SplitK128x64<types::bf16_b_mn>>(table);
  add<PingPong128x128Pair<types::bf16_both_mn>, SplitK128x64<types::bf16_both_mn>>(table);
}

}  // namespace aisp::tile::device
