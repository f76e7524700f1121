// Any strides and alignment, e4m3 out: writing it is an instruction of sm_89.
#include "tile/instances/instances.hpp"
#include "tile/instances/recipes_sm80.cuh"

namespace aisp::tile::device {

void add_general_e4m3(RecipeTable& table) {
  add_general_of<Types{.a = Element::e4m3, .b = Element::e4m3, .out = Element::e4m3}>(table);
}

}  // namespace aisp::tile::device
