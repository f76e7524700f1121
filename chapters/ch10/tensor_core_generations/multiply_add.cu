// Rung 0: Pascal and before. A thread multiplies what it has in registers: one product per FMA, or
// four of int8 per dp4a, which also adds them up.
#include "chapters/ch10/tensor_core_generations/generation.cuh"

using namespace aisp;

namespace {

using tile::Element;
using tile::Simt;

lab::Run prepare(lab::Setup& setup) {
  switch (setup.problem().inputs.at(0).dtype) {
    case lab::Dtype::f16:
      return ch10::run_generation<Simt<Element::f16>>(setup);
    case lab::Dtype::bf16:
      return ch10::run_generation<Simt<Element::bf16>>(setup);
    case lab::Dtype::i8:
      return ch10::run_generation<Simt<Element::s8>>(setup);
    default:
      return ch10::run_generation<Simt<Element::f32>>(setup);
  }
}

const lab::RungEntry entry{"ch10:tensor_core_generations",
                           {.name = "multiply_add",
                            .step = 0,
                            .builds_on = "",
                            .idea = "dot products inside a thread: FMA, for int8 dp4a",
                            .look_at = "an instruction per product, or per four; conversions of "
                                       "16-bit factors take issue slots too",
                            .prepare = prepare}};

}  // namespace
