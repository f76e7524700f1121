// bf16: small tiles and shared ones.
#include "tile/instances/gemm_sm90/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_bf16_small(GemmTable& table) {
  add<Single64x128<types::bf16>, Cooperative128x64<types::bf16>, SplitK128x128Pair<types::bf16>,
      SplitK128x64<types::bf16>>(table);
}

}  // namespace aisp::tile::device
