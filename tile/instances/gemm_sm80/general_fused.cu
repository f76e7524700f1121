// Any strides and alignment, with a bias and an activation.
#include "tile/instances/gemm_sm80/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_general_fused(GemmTable& table) {
  add_general_fused_of<Element::bf16, Element::f16>(table);
}

}  // namespace aisp::tile::device
