// Rung 1: Volta. Eight threads hold the operands of an 8x8x4 product together; a warp does four of
// them with one instruction.
#include "chapters/ch10/tensor_core_generations/generation.cuh"

using namespace aisp;

namespace {

const lab::RungEntry entry{
    "ch10:tensor_core_generations",
    {.name = "m8n8k4",
     .step = 1,
     .builds_on = "multiply_add",
     .idea = "Volta's mma: 8 threads, 8 x 8 x 4, fp16",
     .look_at = "the machine code: chips after Volta put it together from other instructions",
     .variants = {"fp16"},
     .prepare = ch10::run_generation<tile::MmaVolta>}};

}  // namespace
