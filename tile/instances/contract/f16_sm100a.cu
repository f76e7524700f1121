// Contractions of f16 tensors on Blackwell.
#include "tile/instances/contract/recipes_sm100.cuh"

namespace aisp::tile::device {

void add_sm100_contract_f16(ContractionTable& table) {
  using namespace types;
  add_contractions<Tcgen05Contract128x128<f16>, Tcgen05Contract128x128<f16_a_mn>,
                   Tcgen05Contract128x128<f16_b_mn>, Tcgen05Contract128x128<f16_both_mn>>(table);
}

}  // namespace aisp::tile::device
