// How a planned kernel is run by a call that knows nothing of plans. PyTorch calls the same layers
// again and again, each with tensors of its own: the plans of thousands of calls are kept, and
// those that differ in addresses alone share their workspace.
#pragma once

#include "binding/c/problem_keys.hpp"
#include "tile/device/launch/plan_cache.hpp"

namespace aisp::binding {

// make(problem, allocate) plans.
template <class Problem, class Make>
void run_planned(const Problem& problem, cudaStream_t stream, const Make& make) {
  using Plan = decltype(make(problem, tile::device::Allocate{}));
  static auto* const plans = new tile::device::PlanCache<Problem, Plan, ProblemKeys<Problem>>;
  plans->run(problem, stream, make);
}

}  // namespace aisp::binding
