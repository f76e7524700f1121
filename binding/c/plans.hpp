// How a planned kernel is run by a call that knows nothing of plans: those of calls that repeat are
// kept. A graph runs what was captured into it for as long as it likes, so that the plans of
// captured calls are kept for good.
#pragma once

#include <cuda_runtime_api.h>

#include <any>
#include <mutex>
#include <vector>

#include "tile/device/launch/kept_plans.hpp"

namespace aisp::binding {

// Whether the stream is being captured into a graph.
bool captured(cudaStream_t stream);

// Never destroyed: at the end of the program the runtime may be gone before them.
void keep_for_good(std::any plan);

template <class Problem, class Make>
void run_planned(const Problem& problem, cudaStream_t stream, const Make& make) {
  using Plan = decltype(make(problem));
  if (captured(stream)) {
    const Plan plan = make(problem);
    plan.run(stream);
    return keep_for_good(plan);
  }
  static auto* const kept = new tile::device::KeptPlans<Problem, Plan>;
  kept->find_or_make(problem, stream, make).run(stream);
}

}  // namespace aisp::binding
