// Blackwell, bf16: every shape.
#include "tile/instances/gemm_sm100/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_umma_bf16(GemmTable& table) {
  add<Umma256x256Pair<types::bf16>, Umma256x128Pair<types::bf16>, Umma128x128<types::bf16>,
      Umma128x64<types::bf16>, UmmaDirect128x128<types::bf16>>(table);
}

}  // namespace aisp::tile::device
