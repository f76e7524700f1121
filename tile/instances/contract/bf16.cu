// Contractions of bf16 tensors.
#include "tile/instances/contract/recipes_sm90.cuh"

namespace aisp::tile::device {

void add_contract_bf16(ContractionTable& table) {
  using namespace types;
  add_contractions<Contract128x256<bf16>, Contract128x256<bf16_a_mn>, Contract128x256<bf16_b_mn>,
                   Contract128x256<bf16_both_mn>>(table);
  add_contractions<Contract128x128<bf16>, Contract128x128<bf16_a_mn>, Contract128x128<bf16_b_mn>,
                   Contract128x128<bf16_both_mn>>(table);
}

}  // namespace aisp::tile::device
