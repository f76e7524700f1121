// Contractions of f16 tensors.
#include "tile/instances/contract/recipes_sm90.cuh"

namespace aisp::tile::device {

void add_contract_f16(ContractionTable& table) {
  using namespace types;
  add_contractions<Contract128x128<f16>, Contract128x128<f16_a_mn>, Contract128x128<f16_b_mn>,
                   Contract128x128<f16_both_mn>>(table);
}

}  // namespace aisp::tile::device
