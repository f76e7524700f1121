// e4m3 into bf16: large tiles.
#include "tile/instances/gemm_sm90/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_e4m3(GemmTable& table) {
  add<Cooperative128x256<types::e4m3_to_bf16>, Cooperative128x256Pair<types::e4m3_to_bf16>,
      StreamK128x256<types::e4m3_to_bf16>, PingPong128x112<types::e4m3_to_bf16>,
      PingPong128x128<types::e4m3_to_bf16>, PingPong128x160<types::e4m3_to_bf16>,
      PingPong128x192Pair<types::e4m3_to_bf16>>(table);
}

}  // namespace aisp::tile::device
