// Blackwell, f32 data, of which the matrix unit reads the upper 19 bits.
#include "tile/instances/gemm_sm100/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_sm100_tf32(GemmTable& table) {
  add<Tcgen05Tile256x128Pair<types::tf32>, Tcgen05Tile128x64<types::tf32>,
      Tcgen05Direct128x128<types::tf32>>(table);
}

}  // namespace aisp::tile::device
