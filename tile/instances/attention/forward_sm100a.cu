// Attention on Blackwell in bf16 and f16, a kernel for each head size, and which of them is taken.
#include "tile/device/attention/configurations.hpp"
#include "tile/device/attention/instances.hpp"
#include "tile/device/attention/plan_sm100.cuh"

namespace aisp::tile::device {
namespace {

template <Element type>
struct Tcgen05Head64 : Sm100AttentionRecipe<forward_config_sm100(type, 64)> {};
template <Element type>
struct Tcgen05Head128 : Sm100AttentionRecipe<forward_config_sm100(type, 128)> {};

template <Element type>
Plan plan_of(const AttentionProblem& problem, const std::string& name) {
  return problem.head_size == 64 ? plan_attention_sm100<Tcgen05Head64<type>>(problem, name)
                                 : plan_attention_sm100<Tcgen05Head128<type>>(problem, name);
}

}  // namespace

Plan plan_forward_sm100(const AttentionProblem& problem) {
  const std::string name =
      base::say("tcgen05_", name_of(problem.q.element), "_d", problem.head_size);
  return problem.q.element == Element::bf16 ? plan_of<Element::bf16>(problem, name)
                                            : plan_of<Element::f16>(problem, name);
}

}  // namespace aisp::tile::device
