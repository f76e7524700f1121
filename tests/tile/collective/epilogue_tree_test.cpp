#include "tile/collective/epilogue/tree.hpp"

#include <cstdint>
#include <limits>

#include "tests/tile/collective/epilogue_support.hpp"

using namespace aisp;

namespace {

using namespace tile;
using namespace epilogue_test;

double silu(double x) { return x / (1 + std::exp(-x)); }
double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

// A node of somebody else's: clips to [-limit, limit] and counts how often.
template <EpilogueNode X>
struct Clip {
  struct Params {
    typename X::Params of{};
    float limit = 1;
    int* clipped = nullptr;
  };
  struct State {
    typename X::State of{};
    int clipped = 0;
  };
  template <class V>
  static TILE_FN EpilogueFragment<float> visit(const Params& params, State& state,
                                               const EpilogueFragment<V>& accumulators,
                                               OutputCoord coord, Extent extent) {
    const auto x = X::visit(params.of, state.of, accumulators, coord, extent);
    EpilogueFragment<float> result = each([](float value) { return value; }, x);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        float& value = result.at[i][j];
        if (!extent.holds(coord.row + 8 * i, coord.column + j) || std::fabs(value) <= params.limit)
          continue;
        value = value < 0 ? -params.limit : params.limit;
        ++state.clipped;
      }
    return result;
  }
  static TILE_FN void finish(const Params& params, State& state) {
    X::finish(params.of, state.of);
    *params.clipped += state.clipped;
  }
};
static_assert(EpilogueNode<Clip<Accumulator>>);
static_assert(!EpilogueNode<int> && !EpilogueNode<OutputCoord>);

TEST(EpilogueTree, AccumulatorAloneKeepsTheTypeOfTheSums) {
  Accumulator::State state;
  const EpilogueFragment<std::int32_t> accumulators{
      {{16777217, -2}, {3, std::numeric_limits<int>::max()}}};
  const auto kept = Accumulator::visit({}, state, accumulators, {}, {16, 8});
  static_assert(std::is_same_v<decltype(kept), const EpilogueFragment<std::int32_t>>);
  EXPECT_EQ(kept.at[0][0], 16777217) << "a float would lose the last bit";
  EXPECT_EQ(kept.at[1][1], std::numeric_limits<int>::max());
  Relu<Accumulator>::State relu_state;
  const auto floats = Relu<Accumulator>::visit({}, relu_state, accumulators, {}, {16, 8});
  static_assert(std::is_same_v<decltype(floats), const EpilogueFragment<float>>);
  EXPECT_EQ(floats.at[0][1], 0.0f);
  EXPECT_EQ(floats.at[1][0], 3.0f);
}

TEST(EpilogueTree, ActivationsAgreeWithFloat64) {
  std::mt19937 random(1);
  const auto accumulators = random_accumulators(random, 2, 37, 21);
  const auto x = [&](int b, int r, int c) { return double{accumulators.at(b, r, c)}; };
  expect_tree<Relu<Accumulator>>({}, accumulators,
                                 [&](int b, int r, int c) { return std::max(0.0, x(b, r, c)); });
  expect_tree<Silu<Accumulator>>({}, accumulators,
                                 [&](int b, int r, int c) { return silu(x(b, r, c)); });
  expect_tree<Gelu<Accumulator>>({}, accumulators,
                                 [&](int b, int r, int c) { return gelu(x(b, r, c)); });
}

TEST(EpilogueTree, ActivationsAtTheEndsOfTheRange) {
  const float infinity = std::numeric_limits<float>::infinity();
  const EpilogueFragment<float> ends{{{-infinity, 1e30f}, {-100, NAN}}};
  Relu<Accumulator>::State state;
  const auto relu = Relu<Accumulator>::visit({}, state, ends, {}, {16, 8});
  EXPECT_EQ(relu.at[0][0], 0.0f);
  EXPECT_EQ(relu.at[0][1], 1e30f);
  EXPECT_TRUE(std::isnan(relu.at[1][1])) << "an activation hides no NaN";
  Silu<Accumulator>::State silu_state;
  const auto silu_ends = Silu<Accumulator>::visit({}, silu_state, ends, {}, {16, 8});
  EXPECT_EQ(silu_ends.at[0][1], 1e30f);
  EXPECT_EQ(silu_ends.at[1][0], 0.0f);
}

TEST(EpilogueTree, TwoChildrenSeeTheSameSums) {
  std::mt19937 random(2);
  const auto accumulators = random_accumulators(random, 1, 19, 10);
  using Square = Multiply<Accumulator, Accumulator>;
  expect_tree<Add<Square, Relu<Accumulator>>>({}, accumulators, [&](int b, int r, int c) {
    const double x = accumulators.at(b, r, c);
    return x * x + std::max(x, 0.0);
  });
  expect_tree<Maximum<Square, Accumulator>>({}, accumulators, [&](int b, int r, int c) {
    const double x = accumulators.at(b, r, c);
    return std::max(x * x, x);
  });
}

TEST(EpilogueTree, ACustomNodeComposes) {
  std::mt19937 random(3);
  const auto accumulators = random_accumulators(random, 2, 23, 9);
  int clipped = 0, expected = 0;
  for (const float value : accumulators.values) expected += std::fabs(2 * value) > 1.5f;
  using Tree = Silu<Clip<Multiply<Accumulator, Scalar>>>;
  const Tree::Params params{
      .of = {.of = {.right = {.value = 2}}, .limit = 1.5f, .clipped = &clipped}};
  expect_tree<Tree>(params, accumulators, [&](int b, int r, int c) {
    return silu(std::clamp(2.0 * accumulators.at(b, r, c), -1.5, 1.5));
  });
  EXPECT_EQ(clipped, expected);
  EXPECT_GT(clipped, 0);
}

}  // namespace
