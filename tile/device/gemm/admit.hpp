// Whether a kernel can compute a problem, and if not, why: TMA requires lines, batches and
// addresses that are multiples of 16 bytes, the kernel its elements and majors.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "base/refuse.hpp"
#include "tile/device/gemm/problem.hpp"
#include "tile/device/launch/kernel_description.hpp"

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
  other.bias.along =
      problem.bias.along == BiasAlong::columns ? BiasAlong::rows : BiasAlong::columns;
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

// Empty, or why the kernel's element types and majors are not those of the problem.
inline std::string operands_refuse(const KernelDescription& kernel, const GemmProblem& problem) {
  const auto operand = [](const char* name, const Matrix& matrix, Element element, Major major) {
    if (matrix.element != element)
      return base::say(name, " is ", name_of(matrix.element), ", the kernel takes ",
                       name_of(element));
    if (matrix.major != major)
      return base::say(name, " is contiguous along ", matrix.major == Major::k ? "k" : "m or n",
                       ", the kernel requires the other");
    return std::string();
  };
  for (const std::string& why : {scales_refuse("A", problem.a, kernel.scaling),
                                 scales_refuse("B", problem.b, kernel.scaling),
                                 scales_refuse("D", problem.d, kernel.out_scaling),
                                 operand("A", problem.a, kernel.a, kernel.a_major),
                                 operand("B", problem.b, kernel.b, kernel.b_major),
                                 operand("D", problem.d, kernel.out, kernel.out_major)})
    if (!why.empty()) return why;
  return "";
}

// Empty, or why a kernel whose operands are copied by TMA cannot compute the problem. What its
// epilogue computes is not looked at.
inline std::string tma_kernel_refuses(const KernelDescription& kernel, const GemmProblem& problem) {
  for (const std::string& why :
       {operands_refuse(kernel, problem), tma_refuses("A", problem.a, problem.batch),
        tma_refuses("B", problem.b, problem.batch),
        kernel.tma_store ? tma_refuses("D", problem.d, problem.batch) : std::string()})
    if (!why.empty()) return why;
  const bool widens = kernel.scaling != Scaling::none && kernel.a != kernel.b;
  for (const auto& [name, matrix] : {std::pair{"A", &problem.a}, std::pair{"B", &problem.b}})
    if (bits_of(matrix->element) < 8 && (widens || matrix->element != Element::e2m1))
      if (const std::string why = widening_refuses(name, *matrix, problem.k); !why.empty())
        return why;
  if (kernel.a == Element::e2m1 && kernel.b == Element::e2m1 && problem.k % 2 != 0)
    return base::say("two e2m1 share a byte, k must be even: got ", problem.k);
  if (kernel.out_scaling != Scaling::none &&
      (problem.n % 2 != 0 || problem.d.stride % 2 != 0 ||
       (problem.batch > 1 && problem.d.batch_stride % 2 != 0)))
    return base::say("D has block scales and lines of ", problem.n, " elements, ", problem.d.stride,
                     " apart: both must be even");
  // TMA clips what it stores at 16 bytes, not at the element.
  const std::int64_t line =
      (problem.d.major == Major::k ? problem.n : problem.m) * bytes_of(problem.d.element);
  if (kernel.tma_store && line % 16 != 0)
    return base::say("D's lines hold ", line,
                     " bytes, and TMA would write up to the next multiple of 16");
  if (problem.beta != 0 && kernel.out_major != Major::k)
    return "beta is not 0, and kernels that store transposed do not read C";
  return "";
}

// Empty, or why a kernel without TMA cannot compute the problem.
inline std::string other_kernel_refuses(const KernelDescription& kernel,
                                        const GemmProblem& problem) {
  if (problem.a.element != kernel.a || problem.b.element != kernel.b ||
      problem.d.element != kernel.out)
    return base::say("the kernel takes ", name_of(kernel.a), " x ", name_of(kernel.b), " -> ",
                     name_of(kernel.out));
  if (kernel.family == Family::general) return "";
  if (problem.a.major != kernel.a_major || problem.b.major != kernel.b_major)
    return "the kernel requires another index of A or B to be contiguous";
  if (problem.d.major != Major::k) return "the kernel stores contiguous rows";
  for (const std::string& why :
       {tma_refuses("A", problem.a, problem.batch), tma_refuses("B", problem.b, problem.batch)})
    if (!why.empty()) return why;
  return "";
}

// Empty, or what of the problem's epilogue the kernel does not compute.
inline std::string epilogue_refuses(const EpilogueAbilities& epilogue, const GemmProblem& problem) {
  if (problem.beta != 0 && !epilogue.c) return "beta is not 0, and the kernel does not read C";
  if (problem.alpha != 1 && !epilogue.alpha)
    return base::say("alpha is ", problem.alpha,
                     ", and the kernel stores the accumulators as they are");
  if (problem.bias.data != nullptr && epilogue.bias == BiasAlong::none)
    return "the kernel adds no bias";
  if (problem.bias.data != nullptr && epilogue.bias != problem.bias.along)
    return base::say("the kernel adds a bias along ",
                     epilogue.bias == BiasAlong::rows ? "rows" : "columns");
  if (problem.activation != Activation::none && !epilogue.activation)
    return "the kernel computes no activation";
  // Without a bias and an activation the same shape exists with a lighter epilogue.
  if (!problem.has_epilogue() && epilogue.activation)
    return "the kernel is for problems with a bias or an activation";
  return "";
}

// Empty, or why the kernel cannot compute the problem as it is stated.
inline std::string refuses(const KernelDescription& kernel, const GemmProblem& problem) {
  if (const std::string why = epilogue_refuses(kernel.epilogue, problem); !why.empty()) return why;
  for (const std::string& why : {scales_refuse("A", problem.a, kernel.scaling),
                                 scales_refuse("B", problem.b, kernel.scaling),
                                 scales_refuse("D", problem.d, kernel.out_scaling)})
    if (!why.empty()) return why;
  if (!kernel.uses_tma()) return other_kernel_refuses(kernel, problem);
  const bool shared = problem.a.batch_stride == 0 || problem.b.batch_stride == 0;
  if (problem.batch > 1 && shared) return "TMA requires a stride from matrix to matrix";
  return tma_kernel_refuses(kernel, problem);
}

// The problem as the kernel takes it: as stated, or with A and B exchanged. Nothing where it takes
// neither.
inline std::optional<GemmProblem> oriented(const KernelDescription& kernel,
                                           const GemmProblem& problem) {
  if (refuses(kernel, problem).empty()) return problem;
  const GemmProblem other = swapped(problem);
  if (refuses(kernel, other).empty()) return other;
  return std::nullopt;
}

}  // namespace aisp::tile::device
