// Products with a bias and an activation. Large ones: one warpgroup's epilogue under the other's
// products. Few rows: the operands exchanged, so that the instruction's 64 rows run along n, and K
// split between blocks.
#include "tile/instances/fused_plans.hpp"
#include "tile/instances/gemm_sm90/recipes.cuh"

namespace aisp::tile::device {
namespace {

template <Element out>
using FusedTree = ChosenActivation<PlusBias<out, Linear<out>>>;
template <GemmConfig config>
using FusedProduct = GemmRecipe<config, FusedTree<config.out>, Persistent>;
template <Types types>
struct PingPong128x128Fused : FusedProduct<shaped(types, shape::ping_pong_128x128)> {};

// The bias of a column of D is that of a row of its transpose.
template <Element out>
using TransposedTree = ChosenActivation<PlusRowBias<out, ScaledTree>>;
template <GemmConfig config>
using FusedTransposed = GemmRecipe<config, TransposedTree<config.out>, SplitK>;
template <Types types>
struct FewRows16Fused : FusedTransposed<shaped(types, shape::few_rows_16)> {};

template <class Recipe>
RecipeInfo info_of() {
  return {.config = Recipe::config, .schedule = Recipe::Schedule::kind};
}

// alpha and beta go to the trees: they are not at their roots, where a plan would look for them.
GemmProblem without_scalars(GemmProblem problem) {
  problem.alpha = 1, problem.beta = 0;
  return problem;
}

template <class Recipe>
typename Recipe::Tree::Params tree_of(const GemmProblem& problem, const FusedEpilogue& epilogue) {
  constexpr Element out = Recipe::config.out;
  typename Recipe::Tree::Params tree{};
  tree.activation = epilogue.activation;
  tree.of.vector.data = ElementPointer<out>::untyped(epilogue.bias);
  if constexpr (Recipe::config.out_major == Major::mn) {
    tree.of.of.right.value = problem.alpha;
  } else {
    tree.of.of.alpha.value = problem.alpha;
    tree.of.of.beta.value = problem.beta;
    if (problem.beta != 0)
      tree.of.of.source = {ElementPointer<out>::untyped(problem.c.data), problem.c.stride,
                           problem.c.batch_stride};
  }
  return tree;
}

template <class Recipe>
GemmRun plan_as(const GemmProblem& problem, const FusedEpilogue& epilogue,
                const LaunchChoice& choice, const Allocate& allocate) {
  return plan<Recipe>(without_scalars(problem), tree_of<Recipe>(problem, epilogue), choice,
                      allocate);
}

// The faster of the two, as the rule estimates them; few rows know no C.
template <Types types>
GemmRun plan_type(const GemmProblem& problem, const FusedEpilogue& epilogue,
                  const Allocate& allocate) {
  using Large = PingPong128x128Fused<types>;
  if (!refuses(info_of<Large>(), problem).empty()) return {};
  const Machine machine = current_machine();
  const Estimated large = estimate(info_of<Large>(), problem, machine);
  if constexpr (types.b_major == Major::k) {
    using Few = FewRows16Fused<types>;
    const GemmProblem exchanged = swapped(problem);
    if (problem.beta == 0 && refuses(info_of<Few>(), exchanged).empty())
      if (const Estimated few = estimate(info_of<Few>(), exchanged, machine);
          few.cycles < large.cycles)
        return plan_as<Few>(exchanged, epilogue, few.launch, allocate);
  }
  return plan_as<Large>(problem, epilogue, large.launch, allocate);
}

}  // namespace

GemmRun plan_fused_sm90(const GemmProblem& problem, const FusedEpilogue& epilogue,
                        const Allocate& allocate) {
  const bool bf16 = problem.d.element == Element::bf16, along_k = problem.b.major == Major::k;
  const auto plan_it = bf16 ? (along_k ? plan_type<types::bf16> : plan_type<types::bf16_b_mn>)
                            : (along_k ? plan_type<types::f16> : plan_type<types::f16_b_mn>);
  return plan_it(problem, epilogue, allocate);
}

}  // namespace aisp::tile::device
