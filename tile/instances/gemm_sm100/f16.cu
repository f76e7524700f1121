// Blackwell, f16.
#include "tile/instances/gemm_sm100/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_sm100_f16(GemmTable& table) {
  add<Tcgen05Tile256x256Pair<types::f16>, Tcgen05Tile128x128<types::f16>,
      Tcgen05Tile256x128Pair<types::f16_a_mn>, Tcgen05Tile256x128Pair<types::f16_b_mn>,
      Tcgen05Tile256x128Pair<types::f16_both_mn>, Tcgen05Tile256x128Pair<types::f16_to_f32>>(table);
}

}  // namespace aisp::tile::device
