// Rung 3: Ampere. The same lanes, twice the depth: 32 bytes of k per instruction, which is m16n8k16
// of 16-bit elements, m16n8k8 of tf32 and m16n8k32 of int8.
#include "chapters/ch10/tensor_core_generations/generation.cuh"

using namespace aisp;

namespace {

using tile::Element;
using tile::MmaSync;

lab::Run prepare(lab::Setup& setup) {
  switch (setup.problem().inputs.at(0).dtype) {
    case lab::Dtype::f16:
      return ch10::run_generation<MmaSync<Element::f16>>(setup);
    case lab::Dtype::bf16:
      return ch10::run_generation<MmaSync<Element::bf16>>(setup);
    case lab::Dtype::i8:
      return ch10::run_generation<MmaSync<Element::s8>>(setup);
    default:
      return ch10::run_generation<MmaSync<Element::tf32>>(setup);
  }
}

const lab::RungEntry entry{"ch10:tensor_core_generations",
                           {.name = "m16n8k16",
                            .step = 3,
                            .builds_on = "m16n8k8",
                            .idea = "32 bytes of k: m16n8k16, of tf32 k8, of int8 k32",
                            .look_at = "half as many instructions for the same products",
                            .prepare = prepare}};

}  // namespace
