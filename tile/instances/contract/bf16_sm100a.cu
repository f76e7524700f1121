// Contractions of bf16 tensors on Blackwell.
#include "tile/instances/contract/recipes_sm100.cuh"

namespace aisp::tile::device {

void add_umma_contract_bf16(ContractionTable& table) {
  using namespace types;
  add_contractions<UmmaContract128x256<bf16>, UmmaContract128x256<bf16_a_mn>,
                   UmmaContract128x256<bf16_b_mn>, UmmaContract128x256<bf16_both_mn>>(table);
  add_contractions<UmmaContract128x128<bf16>, UmmaContract128x128<bf16_a_mn>,
                   UmmaContract128x128<bf16_b_mn>, UmmaContract128x128<bf16_both_mn>>(table);
}

}  // namespace aisp::tile::device
