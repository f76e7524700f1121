// Attention with roles in bf16 and f16, a kernel for each head size, and which of them is taken.
#include "tile/device/attention/configurations.hpp"
#include "tile/device/attention/plan_sm90.cuh"

namespace aisp::tile::device {
namespace {

template <Element type>
struct Head64 : Sm90AttentionRecipe<forward_config(type, 64, true)> {};
template <Element type>
struct AnyHead64 : Sm90AttentionRecipe<forward_config(type, 64, false)> {};
template <Element type>
struct Head96 : Sm90AttentionRecipe<forward_config(type, 96, false)> {};
template <Element type>
struct Head128 : Sm90AttentionRecipe<forward_config(type, 128, false)> {};
template <Element type>
struct Head256 : Sm90AttentionRecipe<forward_config(type, 256, false)> {};
// Sequences of one length gain from a kernel of their own only here.
static_assert(forward_config(Element::bf16, 64, true) != forward_config(Element::bf16, 64, false));
static_assert(forward_config(Element::bf16, 96, true) == forward_config(Element::bf16, 96, false) &&
              forward_config(Element::bf16, 128, true) ==
                  forward_config(Element::bf16, 128, false) &&
              forward_config(Element::bf16, 256, true) ==
                  forward_config(Element::bf16, 256, false));

template <Element type>
Plan plan_16_bits(const AttentionProblem& problem, const std::string& name,
                  const Allocate& allocate) {
  constexpr auto persistent = AttentionSchedule::persistent;
  switch (problem.head_size) {
    case 64:
      if (is_plain(problem)) return plan_with<Head64<type>>(problem, name, persistent, allocate);
      return plan_with<AnyHead64<type>>(problem, name, persistent, allocate);
    case 96:
      return plan_with<Head96<type>>(problem, name, persistent, allocate);
    case 128:
      return plan_with<Head128<type>>(problem, name, persistent, allocate);
    default:
      return plan_with<Head256<type>>(problem, name, persistent, allocate);
  }
}

}  // namespace

Plan plan_forward(const AttentionProblem& problem, const Allocate& allocate) {
  const std::string name =
      base::say("forward_", name_of(problem.q.element), "_d", problem.head_size);
  if (problem.q.element == Element::e4m3) return plan_forward_fp8(problem, name, allocate);
  return problem.q.element == Element::bf16 ? plan_16_bits<Element::bf16>(problem, name, allocate)
                                            : plan_16_bits<Element::f16>(problem, name, allocate);
}

}  // namespace aisp::tile::device
