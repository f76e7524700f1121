// Attention with roles in bf16 and f16, a kernel for each head size, and which of them is taken.
#include "tile/device/attention/forward_plan.cuh"

namespace aisp::tile::device {
namespace {

// Small heads leave registers for a third warpgroup, and their softmax, which is as long as their
// products, needs it; three find their turns by themselves. Packed and paged sequences take more of
// the loading warp.
template <Element type>
struct Head64 : AttentionRecipe<AttentionConfig{.element = type,
                                                .head_size = 64,
                                                .math_warpgroups = 3,
                                                .key_stages = 4,
                                                .value_stages = 4,
                                                .ping_pong = false,
                                                .plain = true}> {};
template <Element type>
struct AnyHead64 : AttentionRecipe<AttentionConfig{
                       .element = type, .head_size = 64, .key_stages = 4, .value_stages = 4}> {};
template <Element type>
struct Head96 : AttentionRecipe<AttentionConfig{
                    .element = type, .head_size = 96, .key_stages = 3, .value_stages = 3}> {};
template <Element type>
struct Head128 : AttentionRecipe<AttentionConfig{.element = type, .head_size = 128}> {};
template <Element type>
struct Head256
    : AttentionRecipe<AttentionConfig{.element = type, .head_size = 256, .block_keys = 64}> {};

bool is_plain(const AttentionProblem& problem) {
  return problem.query_starts == nullptr && problem.kv_lengths == nullptr &&
         problem.page_table == nullptr;
}

template <Element type>
AttentionPlan plan_16_bits(const AttentionProblem& problem, const std::string& name,
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

AttentionPlan plan_forward(const AttentionProblem& problem, const Allocate& allocate) {
  const std::string name =
      base::say("forward_", name_of(problem.q.element), "_d", problem.head_size);
  if (problem.q.element == Element::e4m3) return plan_forward_fp8(problem, name, allocate);
  return problem.q.element == Element::bf16 ? plan_16_bits<Element::bf16>(problem, name, allocate)
                                            : plan_16_bits<Element::f16>(problem, name, allocate);
}

}  // namespace aisp::tile::device
