// The matrix product as a problem, for every chapter that has one: types by name, tensors,
// operations, bytes, the float64 reference, and a tolerance that follows from how the unit adds.
#pragma once

#include <optional>
#include <string>

#include "lab/case/case.hpp"
#include "lab/judge/tolerance.hpp"

namespace aisp::lab {

struct GemmTypes {
  Dtype in = Dtype::f32, out = Dtype::f32;
  Unit unit = Unit::fma_f32;  // of the rung that makes the most of the machine
  Accumulator accumulator = fma_f32;
  std::optional<Dtype> b{};  // of B where it is not that of A
};

// By name; all sums are f32 unless said:
//   bf16, fp16            the same type in and out
//   fp32                  without the matrix unit
//   tf32                  fp32 data, factors cut by the matrix unit
//   fp8, fp8_e5m2         e4m3 or e5m2 in, bf16 out
//   int8                  exact: i32 sums and output
//   bf16_int8, bf16_fp8   mixed: A in bf16, B in int8 or e4m3, bf16 out
// The matrix unit runs fp16 at the rate of bf16, int8 at that of fp8, and a mixed product as bf16:
// these have no roof of their own.
GemmTypes gemm_types(const std::string& name);

enum class GemmB { kn, nk };  // B as (k, n), or as (n, k) with rows along k

// c (m, n) = a (m, k) * b for size.dims = {m, n, k}, all row-major; inputs uniform in [-1, 1], int8
// in [-127, 127]. Refuses (Exit::usage) what refuse_bad_extents does, and sums that i32 may not
// hold.
Problem gemm_problem(const std::string& target, const Size& size, const GemmTypes& types, GemmB b);

// Refuses (Exit::usage) rows of `in` elements that are not a multiple of 16 bytes and extents over
// 2^19, naming `target`.
void refuse_bad_extents(const std::string& target, std::int64_t m, std::int64_t n, std::int64_t k,
                        Dtype in);

// What gemm_problem fills its inputs with, how far its sums of k products may be off, and the
// refusal of sums that i32 may not hold: for other problems that are such products.
Uniform product_values(Dtype dtype);
Tolerance product_tolerance(const GemmTypes& types, Dtype b, std::int64_t k);
void refuse_i32_overflow(const std::string& target, std::int64_t k);

// Every input read once, every output written once.
double bytes_once(const Problem& problem);

}  // namespace aisp::lab
