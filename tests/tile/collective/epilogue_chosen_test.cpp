#include "tile/collective/epilogue/chosen.hpp"

#include "tests/tile/collective/epilogue_support.hpp"

using namespace aisp;

namespace {

using namespace tile;
using namespace epilogue_test;

double activated(Activation activation, double x) {
  switch (activation) {
    case Activation::relu:
      return std::max(x, 0.0);
    case Activation::gelu:
      return x / 2 * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
    case Activation::silu:
      return x / (1 + std::exp(-x));
    default:
      return x;
  }
}

// The same tree with and without a bias, with each activation: all of it the launch's choice.
template <template <Element, class> class Plus>
void check_choices(bool by_row) {
  using Tree = ChosenActivation<Plus<Element::bf16, Accumulator>>;
  std::mt19937 random(6);
  const auto accumulators = random_accumulators(random, 2, 33, 19);
  Guarded<Element::bf16> bias(2, 1, by_row ? 33 : 19, 0);
  bias.fill(random);
  for (const auto activation :
       {Activation::none, Activation::relu, Activation::gelu, Activation::silu})
    for (const bool biased : {false, true}) {
      typename Tree::Params params{};
      params.activation = activation;
      if (biased) params.of.vector = {bias.data(), bias.batch_stride()};
      expect_tree<Tree>(params, accumulators, [&](int b, int r, int c) {
        const double term = biased ? bias.value(b, 0, by_row ? r : c) : 0;
        return activated(activation, accumulators.at(b, r, c) + term);
      });
    }
}

TEST(EpilogueChosen, BiasOfColumnsAndActivation) { check_choices<PlusBias>(false); }
TEST(EpilogueChosen, BiasOfRowsAndActivation) { check_choices<PlusRowBias>(true); }

}  // namespace
