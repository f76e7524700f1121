// What a right kernel of a program may leave in its tensors: every element's range, by running the
// program on ranges.
#pragma once

#include <string>
#include <vector>

#include "jit/variant.hpp"
#include "tests/jit/support/range.hpp"

namespace aisp::jit::testing {

using RangeTensor = TensorOf<Range>;

// One tensor per parameter; what is given is exact. Sums along rows have the depth of the variant's
// schedule.
std::vector<RangeTensor> bounds(const Variant& variant, const std::vector<HostTensor>& given);

// The first element that no right kernel leaves there, in words; "" where there is none.
std::string first_outside(const std::vector<double>& got, const RangeTensor& right);

// So many additions does a number of a row of `extent` go through at most.
int additions(const Plan& plan, int extent);

}  // namespace aisp::jit::testing
