// A matrix product with work on its result, the problem of an epilogue:
//   v = a (m, k) * b (n, k)' + bias (n)      bf16 factors, f32 bias and sums
//   d = silu(v) = v / (1 + exp(-v))
// b and bias are drawn so that v has a standard deviation of about 2, where SiLU bends.
#pragma once

#include <string>

#include "lab/case/case.hpp"

namespace aisp::lab {

enum class Epilogue {
  none,      // d = a * b' in bf16: what the others cost is measured against it
  silu,      // d in bf16, amax = the largest |d| (f32, one element)
  quantise,  // d = e4m3(scale * silu(v)), saturating; amax of silu(v); aux = v in bf16
};

// For size.dims = {m, n, k}. Inputs a, b, then bias, then scale (f32, one element), as far as the
// epilogue takes them; outputs d, then amax, then aux. amax may be taken before or after d is
// rounded to bf16. Whatever lies between the product and d is f32 in every rung, also where it goes
// through memory. Refuses (Exit::usage) rows that are not a multiple of 16 bytes and extents over
// 2^19.
Problem epilogue_problem(const std::string& target, const Size& size, Epilogue epilogue);

}  // namespace aisp::lab
