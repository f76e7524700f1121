// Blackwell, bf16: every shape.
#include "tile/instances/gemm_sm100/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_sm100_bf16(GemmTable& table) {
  add<Tcgen05Tile256x256Pair<types::bf16>, Tcgen05Tile256x128Pair<types::bf16>,
      Tcgen05Tile128x128<types::bf16>, Tcgen05Tile128x64<types::bf16>,
      Tcgen05Direct128x128<types::bf16>>(table);
}

}  // namespace aisp::tile::device
