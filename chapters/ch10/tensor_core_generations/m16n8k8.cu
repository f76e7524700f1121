// Rung 2: Turing and the first half of Ampere. A whole warp holds 16x8x8; registers are what
// ldmatrix brings of 8 rows of 16 bytes.
#include "chapters/ch10/tensor_core_generations/generation.cuh"

using namespace aisp;

namespace {

using tile::Element;
using tile::MmaSync;

lab::Run prepare(lab::Setup& setup) {
  return setup.problem().inputs.at(0).dtype == lab::Dtype::f16
             ? ch10::run_generation<MmaSync<Element::f16, 8>>(setup)
             : ch10::run_generation<MmaSync<Element::bf16, 8>>(setup);
}

const lab::RungEntry entry{"ch10:tensor_core_generations",
                           {.name = "m16n8k8",
                            .step = 2,
                            .builds_on = "m8n8k4",
                            .idea = "mma.sync of a warp, 16 bytes of k: m16n8k8",
                            .look_at = "ldmatrix instead of loads by each lane",
                            .variants = {"fp16", "bf16"},
                            .prepare = prepare}};

}  // namespace
