// Rung 2: the epilogue is a tree that every sum passes through in registers; what leaves the kernel
// is the result. Both warpgroups of a block store at the same time, and nothing is multiplied then.
#include "chapters/ch10/epilogue_fusion/fused.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch10;

lab::Run prepare(lab::Setup& setup) {
  const std::string& variant = setup.problem().size.variant;
  if (variant == "plain") return zero_and_run<Plain, cooperative(Plain::out)>();
  if (variant == "silu") return zero_and_run<SiluOfSum, cooperative(SiluOfSum::out)>();
  return zero_and_run<QuantisedSilu, cooperative(QuantisedSilu::out)>();
}

const lab::RungEntry entry{
    "ch10:epilogue_fusion",
    {.name = "epilogue_tree",
     .step = 2,
     .builds_on = "one_pass",
     .idea = "all steps in the product's epilogue, in registers",
     .look_at = "no pass over memory is left; the tensor pipe is idle while tiles are stored",
     .needs = lab::Needs::sm_90a,
     .prepare = prepare}};

}  // namespace
