// bf16 times 8 bits: int8 or e4m3 weights beside bf16 activations.
#include "tile/instances/gemm_sm90/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_mixed(GemmTable& table) {
  add<Mixed128x256<types::s8_bf16>, MixedTransposed128x256<types::s8_bf16>>(table);
  add<Mixed128x256<types::e4m3_bf16>, MixedTransposed128x256<types::e4m3_bf16>>(table);
}

}  // namespace aisp::tile::device
