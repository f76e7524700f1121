// Attention on Blackwell in bf16 and f16, a kernel for each head size, and which of them is taken.
#include "tile/device/attention/configurations.hpp"
#include "tile/device/attention/instances.hpp"
#include "tile/device/attention/umma_plan.cuh"

namespace aisp::tile::device {
namespace {

template <Element type>
struct UmmaHead64 : UmmaAttentionRecipe<forward_umma_config(type, 64)> {};
template <Element type>
struct UmmaHead128 : UmmaAttentionRecipe<forward_umma_config(type, 128)> {};

template <Element type>
Plan plan_of(const AttentionProblem& problem, const std::string& name) {
  return problem.head_size == 64 ? plan_umma_attention<UmmaHead64<type>>(problem, name)
                                 : plan_umma_attention<UmmaHead128<type>>(problem, name);
}

}  // namespace

Plan plan_forward_umma(const AttentionProblem& problem) {
  const std::string name = base::say("umma_", name_of(problem.q.element), "_d", problem.head_size);
  return problem.q.element == Element::bf16 ? plan_of<Element::bf16>(problem, name)
                                            : plan_of<Element::f16>(problem, name);
}

}  // namespace aisp::tile::device
