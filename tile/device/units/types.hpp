// The operands and the result that a unit's kernels are compiled for.
#pragma once

#include "tile/collective/epilogue_nodes.hpp"
#include "tile/collective/gemm_config.hpp"
#include "tile/device/problem.hpp"

namespace tile::device {

struct Types {
  Element a = Element::bf16, b = Element::bf16, out = Element::bf16;
  Major a_major = Major::k, b_major = Major::k;
};

// alpha A B + beta C; the sums of s8 products stored as s32 stay exact.
template <Element out>
using ProductTree = std::conditional_t<out == Element::s32, Accumulator, Linear<out>>;

// alpha A B, for tiles so large that reading C would spill sums.
using ScaledTree = Scaled<Accumulator>;

template <class Tree>
constexpr bool reads_c = requires(typename Tree::Params params) {
  params.source;
};

template <class Tree>
typename Tree::Params tree_params(const GemmProblem& problem) {
  typename Tree::Params params{};
  if constexpr (std::is_same_v<Tree, ScaledTree>) params.right.value = problem.alpha;
  if constexpr (reads_c<Tree>) {
    params.alpha.value = problem.alpha;
    params.beta.value = problem.beta;
    params.source = {problem.c.data, problem.c.stride, problem.c.batch_stride};
  }
  return params;
}

}  // namespace tile::device
