#include "tile/device/attention/attention.hpp"

#include "tile/device/attention/admit.hpp"
#include "tile/device/attention/configurations.hpp"
#include "tile/device/attention/instances.hpp"
#include "tile/device/attention/key.hpp"
#include "tile/device/launch/plan_cache.hpp"

namespace aisp::tile::device {
Plan plan_attention(const AttentionProblem& problem, const Allocate& allocate) {
  if (!admit_problem(problem)) return nothing_to_run();
  const Machine machine = current_machine();
  admit_device(problem, machine);
  if (machine.blackwell()) return plan_forward_sm100(problem);
  if (takes_decode(problem)) return plan_decode(problem, allocate);
  return plan_forward(problem, allocate);
}

void attention(const AttentionProblem& problem, cudaStream_t stream) {
  static auto* const plans = new PlanCache<Plan>(WorkspaceSharing::by_shape);
  plans->run(ProblemKey(problem), stream,
             [&](const Allocate& allocate) { return plan_attention(problem, allocate); });
}

}  // namespace aisp::tile::device
