// Arrays that are shorter than the positions which a score or mask function reads them at.
#pragma once

#include "jit/attention/position.hpp"
#include "jit/trace/tracer.hpp"
#include "tile/device/attention/problem.hpp"

namespace aisp::jit {

// Refuses, with the user's place and the numbers. Only what is certain is refused: an index out of
// memory, behind a `where`, or of a query and a key together, of which the mask may leave some out,
// is not; what such a one reads outside of its array is 0.
void refuse_short_arrays(const Function& function, const std::vector<BoundArray>& arrays,
                         const tile::device::AttentionProblem& problem);

}  // namespace aisp::jit
