// Any strides and alignment: elements of 16 and 32 bits.
#include "tile/instances/gemm_sm80/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_general_wide(GemmTable& table) {
  add_general_of<Types{.a = Element::bf16, .b = Element::bf16, .out = Element::bf16},
                 Types{.a = Element::bf16, .b = Element::bf16, .out = Element::f32},
                 Types{.a = Element::f16, .b = Element::f16, .out = Element::f16},
                 Types{.a = Element::f16, .b = Element::f16, .out = Element::f32},
                 Types{.a = Element::tf32, .b = Element::tf32, .out = Element::f32},
                 Types{.a = Element::f32, .b = Element::f32, .out = Element::f32}>(table);
}

}  // namespace aisp::tile::device
