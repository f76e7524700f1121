// Blackwell, OCP's microscaling formats: MXFP8 and MXFP4.
#include "tile/instances/gemm_sm100/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_sm100_mx(GemmTable& table) {
  using enum Element;
  add<Tcgen05Tile256x128Pair<types::mx(e4m3, e4m3)>, Tcgen05Tile128x64<types::mx(e4m3, e4m3)>,
      Tcgen05Tile256x128Pair<types::mx(e2m1, e2m1)>, Tcgen05Tile128x64<types::mx(e2m1, e2m1)>,
      Tcgen05Direct128x128<types::mxfp8_to_mxfp8>>(table);
}

}  // namespace aisp::tile::device
