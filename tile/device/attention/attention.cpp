#include "tile/device/attention/attention.hpp"

#include "tile/device/attention/admit.hpp"
#include "tile/device/attention/instances.hpp"
#include "tile/device/attention/key.hpp"
#include "tile/device/launch/plan_cache.hpp"

namespace aisp::tile::device {
AttentionPlan plan_attention(const AttentionProblem& problem, const Allocate& allocate) {
  if (!admit_problem(problem)) return {"nothing", {}};
  const AttentionDevice device = attention_device();
  admit_device(problem, device);
  if (device.blackwell()) return plan_forward_umma(problem);
  const int rows = problem.query_rows * (problem.query_heads / problem.kv_heads);
  if (rows <= decode_rows && problem.q.element != Element::e4m3)
    return plan_decode(problem, allocate);
  return plan_forward(problem, allocate);
}

void attention(const AttentionProblem& problem, cudaStream_t stream) {
  static auto* const plans = new PlanCache<AttentionPlan>(WorkspaceSharing::by_shape);
  plans->run(ProblemKey(problem), stream,
             [&](const Allocate& allocate) { return plan_attention(problem, allocate); });
}

}  // namespace aisp::tile::device
