// e4m3 into bf16: small tiles, shared ones, few rows.
#include "tile/instances/gemm_sm90/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_e4m3_small(GemmTable& table) {
  add<Single64x128<types::e4m3_to_bf16>, SplitK128x128Pair<types::e4m3_to_bf16>,
      SplitK128x64<types::e4m3_to_bf16>, FewRows16<types::e4m3_to_bf16>,
      FewRows80<types::e4m3_to_bf16>, Transposed128x144<types::e4m3_to_bf16>,
      Direct128x128<types::e4m3_to_bf16>>(table);
}

}  // namespace aisp::tile::device
