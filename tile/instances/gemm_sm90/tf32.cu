// f32 data, of which the matrix unit reads the upper 19 bits.
#include "tile/instances/gemm_sm90/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_tf32(GemmTable& table) {
  add<Cooperative128x256Pair<types::tf32>, PingPong128x128Pair<types::tf32>,
      SplitK128x64<types::tf32>, Direct128x128<types::tf32>>(table);
}

}  // namespace aisp::tile::device
