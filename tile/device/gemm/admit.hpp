// Whether a recipe can compute a problem, and if not, why: TMA wants lines, batches and
// addresses that are multiples of 16 bytes, the kernel its elements and majors.
#pragma once

#include <limits>
#include <string>

#include "base/refuse.hpp"
#include "tile/collective/gemm_config.hpp"
#include "tile/device/gemm/problem.hpp"

namespace aisp::tile::device {

// The same product with the roles of A and B exchanged: D^T = B^T A^T.
inline GemmProblem swapped(const GemmProblem& problem) {
  const auto transposed = [](Matrix matrix) {
    matrix.major = matrix.major == Major::k ? Major::mn : Major::k;
    return matrix;
  };
  GemmProblem other = problem;
  other.m = problem.n, other.n = problem.m;
  other.a = problem.b, other.b = problem.a;
  other.c = transposed(problem.c), other.d = transposed(problem.d);
  return other;
}

// Empty, or the first thing about one matrix that keeps TMA from it.
inline std::string tma_refuses(const char* name, const Matrix& matrix, std::int64_t batch) {
  const std::int64_t bytes = bytes_of(matrix.element);
  if (reinterpret_cast<std::uintptr_t>(matrix.data) % 16 != 0)
    return base::say(name, " starts at an address that is not a multiple of 16 bytes");
  if (matrix.stride * bytes % 16 != 0)
    return base::say(name, " has lines ", matrix.stride * bytes,
                     " bytes apart, not a multiple of 16: pad them to ",
                     (matrix.stride * bytes + 15) / 16 * 16 / bytes, " elements");
  if (batch > 1 && matrix.batch_stride * bytes % 16 != 0)
    return base::say(name, " has matrices ", matrix.batch_stride * bytes,
                     " bytes apart, not a multiple of 16");
  return "";
}

// What no kernel of the library takes. Refuses with the numbers.
inline void admit(const GemmProblem& problem) {
  constexpr std::int64_t most = std::numeric_limits<int>::max() / 2;
  const auto& p = problem;
  if (p.m < 1 || p.n < 1 || p.k < 1 || p.batch < 1)
    base::refuse(base::Exit::usage, "gemm needs m, n, k and batch of at least 1: got ", p.m, 'x',
                 p.n, 'x', p.k, ", batch ", p.batch);
  if (p.m > most || p.n > most || p.k > most || p.batch > 65535)
    base::refuse(base::Exit::usage, "gemm takes extents up to ", most, " and 65535 products: got ",
                 p.m, 'x', p.n, 'x', p.k, ", batch ", p.batch, "; cut the problem");
  const auto line = [](const char* name, const Matrix& matrix, std::int64_t least) {
    if (!matrix.data) base::refuse(base::Exit::usage, "gemm: ", name, " has no data");
    if (matrix.stride < least)
      base::refuse(base::Exit::usage, "gemm: lines of ", name, " hold ", least,
                   " elements and are only ", matrix.stride, " apart; give its stride in elements");
  };
  line("A", p.a, p.a.major == Major::k ? p.k : p.m);
  line("B", p.b, p.b.major == Major::k ? p.k : p.n);
  line("D", p.d, p.d.major == Major::k ? p.n : p.m);
  if (p.beta != 0) line("C", p.c, p.c.major == Major::k ? p.n : p.m);
  if (p.beta != 0 && p.c.major != p.d.major)
    base::refuse(base::Exit::usage, "gemm: C and D must be contiguous along the same index");
}

// Empty, or why kernels of `config` cannot compute the problem.
inline std::string recipe_refuses(const GemmConfig& config, const GemmProblem& problem) {
  const auto operand = [](const char* name, const Matrix& matrix, Element element, Major major) {
    if (matrix.element != element)
      return base::say(name, " is ", name_of(matrix.element), ", the kernel takes ",
                       name_of(element));
    if (matrix.major != major)
      return base::say(name, " is contiguous along ", matrix.major == Major::k ? "k" : "m or n",
                       ", the kernel wants the other");
    return std::string();
  };
  for (const std::string& why :
       {operand("A", problem.a, config.a, config.a_major),
        operand("B", problem.b, config.b, config.b_major),
        operand("D", problem.d, config.out, config.out_major),
        tma_refuses("A", problem.a, problem.batch), tma_refuses("B", problem.b, problem.batch),
        config.store == Store::tma ? tma_refuses("D", problem.d, problem.batch) : ""})
    if (!why.empty()) return why;
  // TMA clips what it stores at 16 bytes, not at the element.
  const std::int64_t line =
      (problem.d.major == Major::k ? problem.n : problem.m) * bytes_of(problem.d.element);
  if (config.store == Store::tma && line % 16 != 0)
    return base::say("D's lines hold ", line,
                     " bytes, and TMA would write up to the next multiple of 16");
  if (problem.beta != 0 && config.out_major != Major::k)
    return "beta is not 0, and kernels that store transposed do not read C";
  return "";
}

}  // namespace aisp::tile::device
