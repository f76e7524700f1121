// Blackwell, bf16: operands that are contiguous along m or n.
#include "tile/instances/gemm_sm100/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_sm100_bf16_majors(GemmTable& table) {
  add<Tcgen05Tile256x128Pair<types::bf16_a_mn>, Tcgen05Tile256x128Pair<types::bf16_b_mn>,
      Tcgen05Tile256x128Pair<types::bf16_both_mn>>(table);
}

}  // namespace aisp::tile::device
