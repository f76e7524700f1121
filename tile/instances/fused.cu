// Products with a bias and an activation: one warpgroup's epilogue under the other's products.
#include "tile/instances/fused_plans.hpp"
#include "tile/instances/recipes_sm90.cuh"

namespace aisp::tile::device {
namespace {

template <Element out>
using FusedTree = ChosenActivation<PlusBias<out, Linear<out>>>;

template <GemmConfig config>
using FusedProduct = GemmRecipe<config, FusedTree<config.out>, Persistent>;

template <Types types>
struct PingPong128x128Fused : FusedProduct<shaped(types, shape::ping_pong_128x128)> {};

// alpha and beta go to the tree: they are not at its root, where a plan would look for them.
template <Types types>
GemmRun plan_type(const GemmProblem& problem, const FusedEpilogue& epilogue,
                  const Allocate& allocate) {
  using Recipe = PingPong128x128Fused<types>;
  const RecipeInfo recipe{.config = Recipe::config};
  if (!refuses(recipe, problem).empty()) return {};
  typename Recipe::Tree::Params tree{};
  tree.activation = epilogue.activation;
  tree.of.columns.data = ElementPointer<types.out>::untyped(epilogue.bias);
  tree.of.of.alpha.value = problem.alpha;
  tree.of.of.beta.value = problem.beta;
  if (problem.beta != 0)
    tree.of.of.source = {ElementPointer<types.out>::untyped(problem.c.data), problem.c.stride,
                         problem.c.batch_stride};
  GemmProblem product = problem;
  product.alpha = 1, product.beta = 0;
  const int clusters = current_machine().multiprocessors;
  const Raster raster =
      detail::square_waves(Recipe::config, detail::grid_of(Recipe::config, product), clusters);
  return plan<Recipe>(product, tree, {.raster = raster}, allocate);
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
