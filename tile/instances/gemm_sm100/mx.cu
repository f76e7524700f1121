// Blackwell, OCP's microscaling formats: MXFP8 and MXFP4.
#include "tile/instances/gemm_sm100/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_umma_mx(GemmTable& table) {
  using enum Element;
  add<Umma256x128Pair<types::mx(e4m3, e4m3)>, Umma128x64<types::mx(e4m3, e4m3)>,
      Umma256x128Pair<types::mx(e2m1, e2m1)>, Umma128x64<types::mx(e2m1, e2m1)>,
      UmmaDirect128x128<types::mxfp8_to_mxfp8>>(table);
}

}  // namespace aisp::tile::device
