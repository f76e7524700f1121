// Codes of one byte on the wire, and a kernel for each operation: what arrives becomes f32 in
// memory, is added there, and the sum is read again to be quantised.
#include "chapters/ch14/quantized_allreduce/codes.hpp"
#include "lab/case/registry.hpp"

namespace aisp::ch14 {
namespace {

const lab::RungEntry entry{
    "ch14:quantized_allreduce",
    {.name = "codes_apart",
     .step = 2,
     .builds_on = "bf16_ring",
     .idea =
         "codes with a scale per 128 instead of numbers, each rank's segment sent to it directly",
     .look_at = "the bytes sent; the passes over f32 between dequantise, add and quantise",
     .needs = lab::Needs::sm_80,
     .narrower = block_codes,
     .prepare = [](lab::Setup& setup) {
       return prepare_codes(setup, in_one_chunk(SumShape(setup.problem().size), false));
     }}};

}  // namespace
}  // namespace aisp::ch14
