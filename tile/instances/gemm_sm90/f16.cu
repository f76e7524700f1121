// f16: the shapes that matter most of those of bf16.
#include "tile/instances/gemm_sm90/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_f16(GemmTable& table) {
  add<Cooperative128x256Pair<types::f16>, PingPong128x128Pair<types::f16>,
      PingPong128x192Pair<types::f16>, SplitK128x64<types::f16>, FewRows16<types::f16>,
      Direct128x128<types::f16>>(table);
}

}  // namespace aisp::tile::device
