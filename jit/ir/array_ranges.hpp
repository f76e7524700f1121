// Which elements of its arrays a function reads, for tensors of given extents.
#pragma once

#include "jit/ir/function.hpp"

namespace aisp::jit {

// Refuses, with the place, an index that leaves its array for an element that counts: one that is
// stored, reduced or multiplied. Only what is certain is refused: an index out of memory, behind a
// `where` or of doubtful range is not; what it reads outside of the array is 0. Extents are those
// of all parameters, an array's count is its extent.
void refuse_outside_arrays(const Function& function,
                           const std::vector<std::vector<std::int64_t>>& extents);

}  // namespace aisp::jit
