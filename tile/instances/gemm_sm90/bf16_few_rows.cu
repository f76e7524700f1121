// bf16: few rows, and rows that TMA cannot store.
#include "tile/instances/gemm_sm90/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_bf16_few_rows(GemmTable& table) {
  add<FewRows16<types::bf16>, FewRows80<types::bf16>, FewRows128<types::bf16>,
      Transposed128x144<types::bf16>, Direct128x128<types::bf16>>(table);
}

}  // namespace aisp::tile::device
