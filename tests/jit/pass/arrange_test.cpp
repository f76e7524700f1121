// The same program, traced with its operands in another order, is the same function.
#include "jit/pass/arrange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "jit/ir/interpret.hpp"
#include "jit/ir/print.hpp"
#include "jit/pass/simplify.hpp"
#include "tests/jit/support/programs.hpp"

namespace aisp::jit {

// Without what says where something was written, which is different here.
static std::string text_of(Function function) {
  for_each(function.body, [](Operation& operation) { operation.place = {}; });
  return print(arrange(std::move(function)));
}

TEST(Arrange, TheOrderOfOperandsIsThatOfTheText) {
  const auto left_first = [](Input<1> a, Input<1> b, Output<1> c) {
    auto start = blocks(c.extent(0), 32);
    auto x = exp(a.load({start}, {32}));
    auto y = tanh(b.load({start}, {32}));
    c.store({start}, x + y);
  };
  const auto right_first = [](Input<1> a, Input<1> b, Output<1> c) {
    auto start = blocks(c.extent(0), 32);
    auto y = tanh(b.load({start}, {32}));
    auto x = exp(a.load({start}, {32}));
    c.store({start}, x + y);
  };
  const auto signature = samples::signature({{f32, {40}}, {f32, {40}}, {f32, {40}}});
  const Function left = simplify(trace("p", left_first, signature).function);
  const Function right = simplify(trace("p", right_first, signature).function);
  EXPECT_NE(print(left), print(right)) << "the two are not what this test is about";
  EXPECT_EQ(text_of(left), text_of(right));
}

// Any order that a compiler could have traced: definitions before uses, effects in theirs.
static void shuffle(Region& region, std::mt19937& random) {
  for (int round = 0; round < 200; ++round) {
    const std::size_t count = region.body.size();
    if (count < 3) break;
    const std::size_t at = random() % (count - 1);
    const Operation &one = region.body[at], &other = region.body[at + 1];
    const auto pure = [](const Operation& operation) {
      return !row_of(operation.code).effect && operation.regions.empty() &&
             operation.results.size() == 1 && operation.code != Opcode::block;
    };
    const bool needs =
        std::find(other.operands.begin(), other.operands.end(),
                  one.results.empty() ? Id{-1} : one.results[0]) != other.operands.end();
    if (pure(one) && pure(other) && !needs) std::swap(region.body[at], region.body[at + 1]);
  }
}

TEST(Arrange, EveryOrderOfTracingIsTheSameFunction) {
  const Function traced = simplify(
      trace("gemm", samples::bias_silu,
            samples::signature({{bf16, {64, 48}}, {bf16, {64, 48}}, {f32, {64}}, {f32, {64, 64}}}))
          .function);
  const std::string want = text_of(traced);
  verify(arrange(traced));
  std::mt19937 random(3);
  int others = 0;
  for (int i = 0; i < 50; ++i) {
    Function shuffled = traced;
    shuffle(shuffled.body, random);
    others += print(shuffled) != print(traced) ? 1 : 0;
    ASSERT_EQ(text_of(shuffled), want);
  }
  EXPECT_GT(others, 25);
}

}  // namespace aisp::jit
