// f16: operands that are contiguous along m or n, and f16 into f32.
#include "tile/instances/gemm_sm90/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_f16_majors(GemmTable& table) {
  add<PingPong128x128Pair<types::f16_to_f32>>(table);
  add<PingPong128x128Pair<types::f16_a_mn>>(table);
  add<PingPong128x128Pair<types::f16_b_mn>>(table);
  add<PingPong128x128Pair<types::f16_both_mn>>(table);
}

}  // namespace aisp::tile::device
