// Blackwell, s8: exact accumulators in s32, or scaled into bf16 or f32.
#include "tile/instances/gemm_sm100/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_sm100_s8(GemmTable& table) {
  add<Tcgen05Tile256x128Pair<types::s8_to_s32>, Tcgen05Tile128x64<types::s8_to_s32>,
      Tcgen05Tile256x128Pair<types::s8_to_bf16>, Tcgen05Tile256x128Pair<types::s8_to_f32>>(table);
}

}  // namespace aisp::tile::device
