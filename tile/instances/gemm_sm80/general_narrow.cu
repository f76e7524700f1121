// Any strides and alignment: 8-bit elements, alone and beside bf16.
#include "tile/instances/gemm_sm80/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_general_narrow(GemmTable& table) {
  add_general_of<Types{.a = Element::e4m3, .b = Element::e4m3, .out = Element::bf16},
                 Types{.a = Element::e4m3, .b = Element::e4m3, .out = Element::f16},
                 Types{.a = Element::e4m3, .b = Element::e4m3, .out = Element::f32},
                 Types{.a = Element::e5m2, .b = Element::e4m3, .out = Element::bf16},
                 Types{.a = Element::e5m2, .b = Element::e5m2, .out = Element::bf16},
                 Types{.a = Element::s8, .b = Element::s8, .out = Element::s32},
                 Types{.a = Element::s8, .b = Element::s8, .out = Element::bf16},
                 Types{.a = Element::s8, .b = Element::s8, .out = Element::f32},
                 Types{.a = Element::bf16, .b = Element::s8, .out = Element::bf16},
                 Types{.a = Element::bf16, .b = Element::e4m3, .out = Element::bf16}>(table);
}

}  // namespace aisp::tile::device
