// s8: exact accumulators in s32, or scaled into bf16 or f32.
#include "tile/instances/gemm_sm90/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_s8(GemmTable& table) {
  add<Cooperative128x256Pair<types::s8_to_s32>, PingPong128x128Pair<types::s8_to_s32>,
      SplitK128x64<types::s8_to_s32>>(table);
  add<PingPong128x128Pair<types::s8_to_bf16>>(table);
  add<PingPong128x128Pair<types::s8_to_f32>>(table);
}

}  // namespace aisp::tile::device
