// Rung 3: the same trees, and each warpgroup has tiles of its own: while one sends its accumulators
// through the tree, the other's products keep the matrix unit busy.
#include "chapters/ch10/epilogue_fusion/fused.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch10;

lab::Run prepare(lab::Setup& setup) {
  const std::string& variant = setup.problem().size.variant;
  if (variant == "plain") return zero_and_run<Plain, ping_pong(Plain::out)>();
  if (variant == "silu") return zero_and_run<SiluOfSum, ping_pong(SiluOfSum::out)>();
  return zero_and_run<QuantisedSilu, ping_pong(QuantisedSilu::out)>();
}

const lab::RungEntry entry{
    "ch10:epilogue_fusion",
    {.name = "ping_pong",
     .step = 3,
     .builds_on = "epilogue_tree",
     .idea = "one warpgroup's epilogue under the other's products",
     .look_at = "silu against plain in this kernel: what the tree costs when it is hidden",
     .needs = lab::Needs::sm_90a,
     .prepare = prepare}};

}  // namespace
