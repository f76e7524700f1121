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
  const std::int64_t bits = bits_of(matrix.element);
  if (reinterpret_cast<std::uintptr_t>(matrix.data) % 16 != 0)
    return base::say(name, " starts at an address that is not a multiple of 16 bytes");
  std::int64_t step = 1;  // elements that are a multiple of 16 bytes
  while (step * bits % 128 != 0) ++step;
  if (matrix.stride % step != 0)
    return base::say(name, " has lines ", matrix.stride * bits / 8,
                     " bytes apart, not a multiple of 16: pad them to ",
                     (matrix.stride + step - 1) / step * step, " elements");
  if (batch > 1 && matrix.batch_stride % step != 0)
    return base::say(name, " has matrices ", matrix.batch_stride * bits / 8,
                     " bytes apart, not a multiple of 16");
  return "";
}

// Empty, or what is wrong about a matrix's block scales for a kernel that takes `scaling`.
inline std::string scales_refuse(const char* name, const Matrix& matrix, Scaling scaling) {
  if (matrix.scaling != scaling)
    return base::say(name, " has ", name_of(matrix.scaling), ", the kernel takes ",
                     name_of(scaling));
  if (scaling == Scaling::none) return "";
  if (reinterpret_cast<std::uintptr_t>(matrix.scales) % 16 != 0)
    return base::say("the scales of ", name, " start at an address that is no multiple of 16");
  return "";
}

// An element of 4 or 6 bits beside one of another width gets a byte of its own on its way.
inline std::string widening_refuses(const char* name, const Matrix& matrix, std::int64_t k) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(matrix.data) % 32 == 0 &&
                       matrix.stride * bits_of(matrix.element) / 8 % 32 == 0;
  if (k % 128 != 0 || !aligned)
    return base::say(name, " in ", name_of(matrix.element), " beside another type needs k in ",
                     "multiples of 128 and lines at multiples of 32 bytes: k is ", k, ", lines ",
                     matrix.stride * bits_of(matrix.element) / 8, " bytes apart");
  return "";
}

// D has no elements: there is nothing to compute.
inline bool is_empty(const GemmProblem& problem) {
  return problem.m == 0 || problem.n == 0 || problem.batch == 0;
}

// What no kernel of the library takes. Refuses with the numbers. A and B of a sum without terms are
// not looked at, and no matrix where there is nothing to compute.
inline void admit_stated(const GemmProblem& problem) {
  constexpr std::int64_t most = std::numeric_limits<int>::max() / 2;
  const auto& p = problem;
  if (p.m < 0 || p.n < 0 || p.k < 0 || p.batch < 0)
    base::refuse(base::Exit::usage, "gemm: m, n, k and batch may not be negative: got ", p.m, 'x',
                 p.n, 'x', p.k, ", batch ", p.batch);
  if (p.m > most || p.n > most || p.k > most || p.batch > 65535)
    base::refuse(base::Exit::usage, "gemm takes extents up to ", most, " and 65535 products: got ",
                 p.m, 'x', p.n, 'x', p.k, ", batch ", p.batch, "; cut the problem");
  const auto line = [](const char* name, const Matrix& matrix, std::int64_t least) {
    if (!matrix.data) base::refuse(base::Exit::usage, "gemm: ", name, " has no data");
    if (matrix.scaling != Scaling::none && !matrix.scales)
      base::refuse(base::Exit::usage, "gemm: ", name, " has no memory for its ",
                   name_of(matrix.scaling), "; give Matrix::scales ScaleExtent::bytes() bytes");
    if (matrix.stride < least)
      base::refuse(base::Exit::usage, "gemm: lines of ", name, " hold ", least,
                   " elements and are only ", matrix.stride, " apart; give its stride in elements");
  };
  if (is_empty(p)) return;
  if (p.k > 0) {
    line("A", p.a, p.a.major == Major::k ? p.k : p.m);
    line("B", p.b, p.b.major == Major::k ? p.k : p.n);
  }
  line("D", p.d, p.d.major == Major::k ? p.n : p.m);
  if (p.beta != 0) line("C", p.c, p.c.major == Major::k ? p.n : p.m);
  if (p.beta != 0 && p.c.major != p.d.major)
    base::refuse(base::Exit::usage, "gemm: C and D must be contiguous along the same index");
}

// ... nor a single kernel. gemm() has a way for extents of 0.
inline void admit(const GemmProblem& p) {
  if (p.m < 1 || p.n < 1 || p.k < 1 || p.batch < 1)
    base::refuse(base::Exit::usage, "gemm needs m, n, k and batch of at least 1: got ", p.m, 'x',
                 p.n, 'x', p.k, ", batch ", p.batch);
  admit_stated(p);
}

// Of a sum without terms, D = beta C, alpha, A and B are left out.
inline GemmProblem without_products(GemmProblem problem) {
  problem.a = {.element = problem.a.element};
  problem.b = {.element = problem.b.element};
  problem.alpha = 1;
  return problem;
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
       {scales_refuse("A", problem.a, config.scaling),
        scales_refuse("B", problem.b, config.scaling),
        scales_refuse("D", problem.d, config.out_scaling),
        operand("A", problem.a, config.a, config.a_major),
        operand("B", problem.b, config.b, config.b_major),
        operand("D", problem.d, config.out, config.out_major),
        tma_refuses("A", problem.a, problem.batch), tma_refuses("B", problem.b, problem.batch),
        config.store == Store::tma ? tma_refuses("D", problem.d, problem.batch) : ""})
    if (!why.empty()) return why;
  const bool widens = config.scaling != Scaling::none && config.a != config.b;
  for (const auto& [name, matrix] : {std::pair{"A", &problem.a}, std::pair{"B", &problem.b}})
    if (bits_of(matrix->element) < 8 && (widens || matrix->element != Element::e2m1))
      if (const std::string why = widening_refuses(name, *matrix, problem.k); !why.empty())
        return why;
  if (config.a == Element::e2m1 && config.b == Element::e2m1 && problem.k % 2 != 0)
    return base::say("two e2m1 share a byte, k must be even: got ", problem.k);
  if (config.out_scaling != Scaling::none &&
      (problem.n % 2 != 0 || problem.d.stride % 2 != 0 ||
       (problem.batch > 1 && problem.d.batch_stride % 2 != 0)))
    return base::say("D has block scales and lines of ", problem.n, " elements, ", problem.d.stride,
                     " apart: both must be even");
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
