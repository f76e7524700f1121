// bf16: large tiles.
#include "tile/instances/gemm_sm90/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_bf16_large(GemmTable& table) {
  add<Cooperative128x256<types::bf16>, Cooperative128x256Pair<types::bf16>,
      StreamK128x256<types::bf16>>(table);
}

}  // namespace aisp::tile::device
