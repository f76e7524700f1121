// Any strides and alignment, with a bias and an activation.
#include "tile/instances/fused_plans.hpp"
#include "tile/instances/gemm_sm80/recipes.cuh"

namespace aisp::tile::device {
namespace {

template <Element element>
using FusedStridedTree = ChosenActivation<PlusBias<element, StridedLinear<element>>>;

template <Element element>
struct GeneralFused
    : GeneralRecipe<element, element, FragmentEpilogue<FusedStridedTree<element>, element, false>,
                    SingleTile> {};

template <Element element>
GemmRun plan_type(const GemmProblem& problem, const FusedEpilogue& epilogue) {
  typename FusedStridedTree<element>::Params tree{};
  tree.activation = epilogue.activation;
  tree.of.vector.data = ElementPointer<element>::untyped(epilogue.bias);
  tree.of.of = strided_linear<element>(problem);
  return plan_general_with<GeneralFused<element>>(problem, {}, tree);
}

}  // namespace

GemmRun plan_fused_general(const GemmProblem& problem, const FusedEpilogue& epilogue) {
  return problem.d.element == Element::bf16 ? plan_type<Element::bf16>(problem, epilogue)
                                            : plan_type<Element::f16>(problem, epilogue);
}

}  // namespace aisp::tile::device
