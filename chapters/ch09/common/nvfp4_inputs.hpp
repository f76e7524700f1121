// Where a rung of an NVFP4 product finds what.
#pragma once

#include <cstddef>

namespace aisp::ch09::nvfp4 {

enum Input : std::size_t { a = 0, a_scales = 1, b = 2, b_scales = 3 };

}  // namespace aisp::ch09::nvfp4
