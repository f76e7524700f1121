// One kernel reads the packets of all other ranks and the rank's own numbers, adds, quantises the
// sum for the others and writes it as they will see it: everything is read and written once.
#include "chapters/ch14/quantized_allreduce/codes.hpp"
#include "chapters/ch14/quantized_allreduce/kernel_rates.hpp"
#include "lab/case/registry.hpp"

namespace aisp::ch14 {
namespace {

lab::Run prepare(lab::Setup& setup) {
  const SumShape shape(setup.problem().size);
  const auto options = in_one_chunk(shape, true);
  if (shape.ranks == 1) return prepare_codes(setup, options);
  const auto rates = std::make_shared<KernelRates>(shape, setup.simulated());
  setup.figure("quantise, of copy", "%", [rates] { return 100 * rates->quantize_of_copy(); });
  setup.figure("add, of copy", "%", [rates] { return 100 * rates->sum_of_copy(); });
  setup.figure("copy", "TB/s", [rates] { return rates->copy_terabytes(); });
  return prepare_codes(setup, options,
                       [rates](const lab::Launch& launch) { rates->measure(launch); });
}

const lab::RungEntry entry{
    "ch14:quantized_allreduce",
    {.name = "codes_fused",
     .step = 3,
     .builds_on = "codes_apart",
     .idea = "dequantise, add, quantise and dequantise again in one kernel, one pass",
     .look_at = "the kernels' rates beside that of a copy; launches",
     .needs = lab::Needs::sm_80,
     .narrower = block_codes,
     .prepare = prepare}};

}  // namespace
}  // namespace aisp::ch14
