// The other 8-bit floats: e5m2, pairs of both, and results in f32 or e4m3.
#include "tile/instances/gemm_sm90/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_fp8_pairs(GemmTable& table) {
  add<PingPong128x128Pair<types::e4m3_to_f32>>(table);
  add<PingPong128x128Pair<types::e4m3_to_f16>>(table);
  add<PingPong128x128Pair<types::e4m3_to_e4m3>>(table);
  add<PingPong128x128Pair<types::e5m2_e4m3>>(table);
  add<PingPong128x128Pair<types::e4m3_e5m2>>(table);
  add<PingPong128x128Pair<types::e5m2_e5m2>>(table);
}

}  // namespace aisp::tile::device
