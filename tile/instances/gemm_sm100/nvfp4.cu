// Blackwell, e2m1 with a scale for 16 elements.
#include "tile/instances/gemm_sm100/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_umma_nvfp4(GemmTable& table) {
  add<Umma256x128Pair<types::nvfp4>, Umma128x128<types::nvfp4>, Umma128x64<types::nvfp4>,
      Umma256x128Pair<types::nvfp4_to_f32>, UmmaDirect128x128<types::nvfp4_to_nvfp4>>(table);
}

}  // namespace aisp::tile::device
