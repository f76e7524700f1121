// Blackwell, 8-bit floats.
#include "tile/instances/gemm_sm100/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_sm100_fp8(GemmTable& table) {
  add<Tcgen05Tile256x256Pair<types::e4m3_to_bf16>, Tcgen05Tile128x128<types::e4m3_to_bf16>,
      Tcgen05Tile256x128Pair<types::e4m3_to_f32>, Tcgen05Tile256x128Pair<types::e4m3_to_f16>,
      Tcgen05Tile256x128Pair<types::e4m3_to_e4m3>>(table);
  add<Tcgen05Tile256x128Pair<types::e5m2_e4m3>, Tcgen05Tile256x128Pair<types::e4m3_e5m2>,
      Tcgen05Tile256x128Pair<types::e5m2_e5m2>>(table);
}

}  // namespace aisp::tile::device
