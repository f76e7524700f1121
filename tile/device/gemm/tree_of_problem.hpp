// alpha, beta, C, the bias and the activation are stated by the problem and computed by the
// epilogue's tree: here one meets the other. What the tree would not compute is refused, never
// ignored.
#pragma once

#include "base/refuse.hpp"
#include "tile/collective/epilogue/chosen.hpp"
#include "tile/device/gemm/problem.hpp"
#include "tile/device/launch/kernel_description.hpp"

namespace aisp::tile::device {

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

inline void refuse_epilogue(bool stated, const char* what, const char* node) {
  if (stated)
    base::refuse(base::Exit::usage, "gemm: the problem has ", what,
                 ", and the recipe's epilogue would ignore it; take ", node,
                 " as a node of its tree, or leave it out");
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
// What of the problem a tree has a place for: nothing, unless a specialization below says so.
template <class Tree>
struct Stated {
  static constexpr EpilogueAbilities abilities{.alpha = false, .c = false};
  static void take(const GemmProblem&, typename Tree::Params&) {}
};
template <EpilogueNode X>
struct Stated<Multiply<X, Scalar>> {
  static constexpr EpilogueAbilities abilities{.alpha = true, .c = false};
  static void take(const GemmProblem& problem, typename Multiply<X, Scalar>::Params& params) {
    take_scalar("alpha", problem.alpha, 1, params.right);
  }
};
template <Element c, EpilogueNode X>
struct Stated<LinearCombination<c, X>> {
  static constexpr EpilogueAbilities abilities{};
  static void take(const GemmProblem& problem, typename LinearCombination<c, X>::Params& params) {
    take_scalar("alpha", problem.alpha, 1, params.alpha);
    take_scalar("beta", problem.beta, 0, params.beta);
    take_c<c>(problem, params.source);
  }
};
template <BiasAlong along, Element element, class Plus, EpilogueNode X>
struct StatedBias {
  static constexpr EpilogueAbilities abilities = [] {
    EpilogueAbilities all = Stated<X>::abilities;
    all.bias = along;
    return all;
  }();
  static void take(const GemmProblem& problem, typename Plus::Params& params) {
    Stated<X>::take(problem, params.of);
    if (problem.bias.data == nullptr) return;
    if (problem.bias.along != along)
      base::refuse(base::Exit::usage, "gemm: the bias is along ",
                   problem.bias.along == BiasAlong::rows ? "rows" : "columns",
                   " of D, and the recipe's epilogue adds one along the other");
    params.vector.data = ElementPointer<element>::untyped(problem.bias.data);
  }
};
template <Element element, EpilogueNode X>
struct Stated<PlusBias<element, X>>
    : StatedBias<BiasAlong::columns, element, PlusBias<element, X>, X> {};
template <Element element, EpilogueNode X>
struct Stated<PlusRowBias<element, X>>
    : StatedBias<BiasAlong::rows, element, PlusRowBias<element, X>, X> {};
template <EpilogueNode X>
struct Stated<ChosenActivation<X>> {
  static constexpr EpilogueAbilities abilities = [] {
    EpilogueAbilities all = Stated<X>::abilities;
    all.activation = true;
    return all;
  }();
  static void take(const GemmProblem& problem, typename ChosenActivation<X>::Params& params) {
    Stated<X>::take(problem, params.of);
    if (problem.activation != Activation::none) params.activation = problem.activation;
  }
};

}  // namespace detail

// What of a problem kernels with this tree compute.
template <class Tree>
inline constexpr EpilogueAbilities abilities_of = detail::Stated<Tree>::abilities;

// The tree's parameters with what the problem states.
template <class Tree>
typename Tree::Params tree_of_problem(const GemmProblem& problem,
                                      typename Tree::Params params = {}) {
  constexpr EpilogueAbilities can = abilities_of<Tree>;
  if constexpr (!can.alpha)
    detail::refuse_scalar("alpha", problem.alpha, 1, "Scaled or LinearCombination");
  if constexpr (!can.c) detail::refuse_scalar("beta", problem.beta, 0, "LinearCombination");
  if constexpr (can.bias == BiasAlong::none)
    detail::refuse_epilogue(problem.bias.data != nullptr, "a bias", "PlusBias");
  if constexpr (!can.activation)
    detail::refuse_epilogue(problem.activation != Activation::none, "an activation",
                            "ChosenActivation");
  detail::Stated<Tree>::take(problem, params);
  return params;
}

}  // namespace aisp::tile::device
