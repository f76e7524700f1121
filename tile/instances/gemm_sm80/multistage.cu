// Kernels for devices before Hopper (and after it), where rows of A and B are aligned.
#include "tile/instances/gemm_sm80/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_multistage(GemmTable& table) {
  add_multistage_of<
      Types{.a = Element::bf16, .b = Element::bf16, .out = Element::bf16},
      Types{.a = Element::bf16, .b = Element::bf16, .out = Element::bf16, .b_major = Major::mn},
      Types{.a = Element::bf16, .b = Element::bf16, .out = Element::f32},
      Types{.a = Element::f16, .b = Element::f16, .out = Element::f16},
      Types{.a = Element::f16, .b = Element::f16, .out = Element::f16, .b_major = Major::mn},
      Types{.a = Element::f16, .b = Element::f16, .out = Element::f32},
      Types{.a = Element::tf32, .b = Element::tf32, .out = Element::f32},
      Types{.a = Element::s8, .b = Element::s8, .out = Element::s32}>(table);
}

}  // namespace aisp::tile::device
