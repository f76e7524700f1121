// Rung 5: Blackwell. One thread multiplies 128 x 256 for the block, asynchronously, operands in
// shared memory and accumulators in tensor memory: registers hold nothing of the product.
#include "chapters/ch10/tensor_core_generations/generation.cuh"
#include "chapters/common/tcgen05_rung.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

using tile::Element;

constexpr tile::Sm100Config config_of(Element element) {
  return {.a = element,
          .b = element,
          .out = ch10::result_of(element),
          .tile_n = 256,
          .tile_k = 128 / tile::bytes_of(element),
          .stages = 3};
}

template <tile::Sm100Config config>
struct Tcgen05Recipe : tile::Sm100Recipe<config, tile::Accumulator, tile::Persistent> {};

template <Element element>
lab::Run run_tcgen05(lab::Setup& setup) {
  return chapters::run_tcgen05<Tcgen05Recipe<config_of(element)>>(setup, {});
}

lab::Run prepare(lab::Setup& setup) {
  switch (setup.problem().inputs.at(0).dtype) {
    case lab::Dtype::f16:
      return run_tcgen05<Element::f16>(setup);
    case lab::Dtype::bf16:
      return run_tcgen05<Element::bf16>(setup);
    case lab::Dtype::i8:
      return run_tcgen05<Element::s8>(setup);
    default:
      return run_tcgen05<Element::tf32>(setup);
  }
}

const lab::RungEntry entry{
    "ch10:tensor_core_generations",
    {.name = "tcgen05",
     .step = 5,
     .builds_on = "wgmma",
     .idea = "one thread for the block, accumulators in tensor memory: m128n256 and 32 bytes of k",
     .look_at = "instructions: warps that multiply have gone; 512 columns of tensor memory",
     .needs = lab::Needs::sm_100a,
     .prepare = prepare}};

}  // namespace
