// How one element of a type that is known at run time is read and written on the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lab/case/dtype.hpp"

namespace aisp::lab {

// Mantissa bits after the point; an integer type has none and is compared exactly.
int fraction_bits(Dtype dtype);

// Distance between neighbouring representable numbers at |value|: what "one ulp" means.
double ulp_at(Dtype dtype, double value);

double read_element(Dtype dtype, const std::byte* data, std::int64_t index);

// Rounds to nearest even; fp8 saturates to the largest finite number.
void write_element(Dtype dtype, std::byte* data, std::int64_t index, double value);

}  // namespace aisp::lab
