// The matrix product as a problem, for every chapter that has one: types by name, tensors,
// operations, bytes, the float64 reference, and a tolerance that follows from how the unit adds.
#pragma once

#include <string>

#include "lab/case/case.hpp"
#include "lab/judge/tolerance.hpp"

namespace lab {

struct GemmTypes {
  Dtype in = Dtype::f32, out = Dtype::f32;
  Unit unit = Unit::fma_f32;  // of the rung that makes the most of the machine
  Accumulator accumulator = fma_f32;
};

// "bf16", "fp16", "fp32", "tf32" (fp32 data, factors cut by the matrix unit) or "fp8" (e4m3 in,
// bf16 out). There is no fp16 unit of its own: the matrix unit runs it at the rate of bf16.
GemmTypes gemm_types(const std::string& name);

enum class GemmB { kn, nk };  // B as (k, n), or as (n, k) with rows along k

// c (m, n) = a (m, k) * b for size.dims = {m, n, k}, inputs uniform in [-1, 1], all row-major.
// Refuses (Exit::usage) rows that are not a multiple of 16 bytes and extents over 2^19, naming
// `target`.
Problem gemm_problem(const std::string& target, const Size& size, const GemmTypes& types, GemmB b);

}  // namespace lab
