// alpha, beta and C are stated by the problem and computed by the epilogue's tree: here one meets
// the other. What the tree would not compute is refused, never ignored.
#pragma once

#include "base/refuse.hpp"
#include "tile/collective/epilogue/nodes.hpp"
#include "tile/device/gemm/problem.hpp"

namespace aisp::tile::device {

// Where a tree has alpha, if it has one.
template <class Tree>
struct TreeScale {
  static constexpr bool has_alpha = false;
};
template <EpilogueNode X>
struct TreeScale<Multiply<X, Scalar>> {
  static constexpr bool has_alpha = true;
  static Scalar::Params& alpha(typename Multiply<X, Scalar>::Params& params) {
    return params.right;
  }
};
template <Element c, EpilogueNode X>
struct TreeScale<LinearCombination<c, X>> {
  static constexpr bool has_alpha = true;
  static Scalar::Params& alpha(typename LinearCombination<c, X>::Params& params) {
    return params.alpha;
  }
};

template <class Tree>
constexpr bool reads_c = requires(typename Tree::Params params) {
  params.source;
};

namespace detail {

// `absent` is what says nothing: an alpha of 1, a beta of 0.
inline void take_scalar(const char* name, float stated, float absent, Scalar::Params& scalar) {
  if (stated == absent || (!scalar.pointer && scalar.value == stated)) return;
  if (scalar.pointer || scalar.value != absent)
    base::refuse(base::Exit::usage, "gemm: the problem's ", name, " is ", stated,
                 ", the epilogue's ",
                 scalar.pointer ? "is read from memory" : base::say(scalar.value),
                 "; say it in one of the two");
  scalar.value = stated;
}

inline void refuse_scalar(const char* name, float stated, float absent, const char* node) {
  if (stated != absent)
    base::refuse(base::Exit::usage, "gemm: ", name, " is ", stated,
                 ", and the recipe's epilogue would ignore it; take ", node,
                 " as the root of its tree, or leave ", name, " at ", absent);
}

template <Element element>
void take_c(const GemmProblem& problem, typename Source<element>::Params& source) {
  if (problem.beta == 0 || source.data == problem.c.data) return;
  if (source.data)
    base::refuse(base::Exit::usage,
                 "gemm: the problem's C and the epilogue's source are two matrices; give one");
  if (problem.c.element != element)
    base::refuse(base::Exit::usage, "gemm: C is ", name_of(problem.c.element),
                 ", the recipe's epilogue reads ", name_of(element));
  source = {ElementPointer<element>::untyped(problem.c.data), problem.c.stride,
            problem.c.batch_stride};
}
template <Element c, EpilogueNode X>
void take_c(const GemmProblem& problem, typename LinearCombination<c, X>::Params& params,
            const LinearCombination<c, X>*) {
  take_scalar("beta", problem.beta, 0, params.beta);
  take_c<c>(problem, params.source);
}

}  // namespace detail

// The tree's parameters with what the problem states.
template <class Tree>
typename Tree::Params tree_of_problem(const GemmProblem& problem,
                                      typename Tree::Params params = {}) {
  if constexpr (TreeScale<Tree>::has_alpha)
    detail::take_scalar("alpha", problem.alpha, 1, TreeScale<Tree>::alpha(params));
  else
    detail::refuse_scalar("alpha", problem.alpha, 1, "Scaled or LinearCombination");
  if constexpr (reads_c<Tree>)
    detail::take_c(problem, params, static_cast<const Tree*>(nullptr));
  else
    detail::refuse_scalar("beta", problem.beta, 0, "LinearCombination");
  return params;
}

}  // namespace aisp::tile::device
