// Any strides and alignment, e4m3 out: writing it is an instruction of sm_89.
#include "tile/instances/gemm_sm80/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_general_e4m3(GemmTable& table) {
  add_general_of<Types{.a = Element::e4m3, .b = Element::e4m3, .out = Element::e4m3}>(table);
}

}  // namespace aisp::tile::device
