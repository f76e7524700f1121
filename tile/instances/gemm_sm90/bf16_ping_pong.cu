// bf16: warpgroups that take turns.
#include "tile/instances/gemm_sm90/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_bf16_ping_pong(GemmTable& table) {
  add<PingPong128x112<types::bf16>, PingPong128x128<types::bf16>, PingPong128x128Pair<types::bf16>,
      PingPong128x160<types::bf16>, PingPong128x176Pair<types::bf16>,
      PingPong128x192Pair<types::bf16>>(table);
}

}  // namespace aisp::tile::device
