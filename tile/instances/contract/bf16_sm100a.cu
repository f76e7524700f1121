// Contractions of bf16 tensors on Blackwell.
#include "tile/instances/contract/recipes_sm100.cuh"

namespace aisp::tile::device {

void add_sm100_contract_bf16(ContractionTable& table) {
  using namespace types;
  add_contractions<Tcgen05Contract128x256<bf16>, Tcgen05Contract128x256<bf16_a_mn>,
                   Tcgen05Contract128x256<bf16_b_mn>, Tcgen05Contract128x256<bf16_both_mn>>(table);
  add_contractions<Tcgen05Contract128x128<bf16>, Tcgen05Contract128x128<bf16_a_mn>,
                   Tcgen05Contract128x128<bf16_b_mn>, Tcgen05Contract128x128<bf16_both_mn>>(table);
}

}  // namespace aisp::tile::device
