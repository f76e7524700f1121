// Rung 4: Hopper. Four warps multiply 64 x 256 together, asynchronously and straight from shared
// memory: no fragments in registers, so the tile can be twice as wide and one warp only loads.
#include "chapters/ch10/tensor_core_generations/generation.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

using tile::Element;

constexpr tile::Sm90Config config_of(Element element) {
  return {.a = element,
          .b = element,
          .out = ch10::result_of(element),
          .tile_k = 128 / tile::bytes_of(element)};
}

template <tile::Sm90Config config>
struct WgmmaRecipe : tile::Sm90Recipe<config, tile::Accumulator, tile::Persistent> {};

template <Element element>
lab::Run run_wgmma(lab::Setup& setup) {
  return ch10::run_recipe<WgmmaRecipe<config_of(element)>>(setup, {});
}

lab::Run prepare(lab::Setup& setup) {
  switch (setup.problem().inputs.at(0).dtype) {
    case lab::Dtype::f16:
      return run_wgmma<Element::f16>(setup);
    case lab::Dtype::bf16:
      return run_wgmma<Element::bf16>(setup);
    case lab::Dtype::i8:
      return run_wgmma<Element::s8>(setup);
    default:
      return run_wgmma<Element::tf32>(setup);
  }
}

const lab::RungEntry entry{
    "ch10:tensor_core_generations",
    {.name = "wgmma",
     .step = 4,
     .builds_on = "m16n8k16",
     .idea = "four warps together, operands in shared memory: m64n256 and 32 bytes of k",
     .look_at = "tensor pipe utilisation; no fragment passes through registers",
     .needs = lab::Needs::sm_90a,
     .prepare = prepare}};

}  // namespace
