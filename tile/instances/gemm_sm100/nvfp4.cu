// Blackwell, e2m1 with a scale for 16 elements.
#include "tile/instances/gemm_sm100/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_sm100_nvfp4(GemmTable& table) {
  add<Tcgen05Tile256x128Pair<types::nvfp4>, Tcgen05Tile128x128<types::nvfp4>,
      Tcgen05Tile128x64<types::nvfp4>, Tcgen05Tile256x128Pair<types::nvfp4_to_f32>,
      Tcgen05Direct128x128<types::nvfp4_to_nvfp4>>(table);
}

}  // namespace aisp::tile::device
