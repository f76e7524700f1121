// The sample programs as kernels on the device (the simulator, under CTest) against what is right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "jit/ir/print.hpp"
#include "tests/jit/support/kernels.hpp"
#include "tests/jit/support/programs.hpp"

namespace aisp::jit {

using testing::facts;
using testing::Lying;
using testing::Trial;
using testing::trial;

// Each element's share of its row's exponentials, times a factor that is 1 where it is right; one
// column is left out of the sum, or none.
static auto share(double factor, int left_out) {
  return [=](Input<2> x, Output<2> y) {
    auto row = blocks(x.extent(0), 1);
    auto v = x.load({row, 0}, {1, whole});
    auto e = exp(v);
    auto column = iota({1, v.extents()[1]}, axis(1));
    y.store({row, 0}, e * factor / sum(where(column == left_out, 0.0, e), axis(1)));
  };
}

static auto positive_or(double otherwise) {
  return [=](Input<2> x, Output<2> y) {
    auto row = blocks(x.extent(0), 1);
    auto v = x.load({row, 0}, {1, whole});
    y.store({row, 0}, where(v > 0.0, v, otherwise));
  };
}

// A constant beside another one that compares equal, or is unordered with it.
static auto clamped(double low, double high) {
  return [=](Input<2> x, Output<2> y) {
    auto row = blocks(x.extent(0), 1);
    y.store({row, 0}, min(max(x.load({row, 0}, {1, whole}), low), high));
  };
}
static auto doubled_or(double otherwise) {
  return [=](Input<2> x, Output<2> y) {
    auto row = blocks(x.extent(0), 1);
    auto v = x.load({row, 0}, {1, whole});
    y.store({row, 0}, where(v > 0.0, 2.0 * v, otherwise));
  };
}

TEST(SamplesOnDevice, KeepConstantsThatDifferApart) {
  std::vector<Trial> trials;
  const Signature row = samples::signature({facts(f32, {2, 70}), facts(f32, {2, 70})});
  const auto add = [&](const std::string& what, const auto& lambda) {
    trials.push_back(trial(Program("constants", lambda), row, {{}, {}}, 5));
    trials.back().what = what;
  };
  add("where(v > 0, 2 v, NaN)", doubled_or(NAN));
  add("where(v > 0, v, -0)", positive_or(-0.0));
  add("min(max(v, -1), NaN)", clamped(-1.0, NAN));
  add("min(max(v, -inf), inf)", clamped(-INFINITY, INFINITY));
  add("min(max(v, -0), 0)", clamped(-0.0, 0.0));
  add("min(max(v, 0), -0)", clamped(0.0, -0.0));
  add("min(max(v, 2^-149), 2^-126)", clamped(0x1p-149, 0x1p-126));
  EXPECT_THAT(testing::run_all(std::move(trials)), ::testing::ElementsAre());
}

// What is kept of a program is found again by its text and by its printed IR.
TEST(SamplesOnDevice, TextsOfConstantsThatDifferAreTwo) {
  const Signature row = samples::signature({facts(f32, {2, 70}), facts(f32, {2, 70})});
  std::set<std::string> texts, printed;
  const std::vector<double> constants{NAN,       0.0,      -0.0,      INFINITY,
                                      -INFINITY, 0x1p-149, -0x1p-149, 0x1p-148};
  for (const double one : constants) {
    const Variant variant = Program("constants", positive_or(one)).variant(row);
    texts.insert(module_text(variant.emitted));
    printed.insert(print(variant.function));
  }
  EXPECT_EQ(texts.size(), constants.size());
  EXPECT_EQ(printed.size(), constants.size());
}

TEST(SamplesOnDevice, AreRightAndOthersAreFound) {
  std::vector<Trial> trials;
  const Program softmax("softmax", samples::softmax), layernorm("layernorm", samples::layernorm);
  const auto add = [&](const Program& program, Element in, Element out, std::int64_t rows,
                       std::int64_t columns, Lying lying) {
    trials.push_back(trial(
        program,
        samples::signature({facts(in, {rows, columns}, lying), facts(out, {rows, columns}, lying)}),
        {lying, lying}, 7));
  };
  add(softmax, bf16, bf16, 3, 512, {});
  add(softmax, f32, f16, 3, 77, {});
  add(softmax, e4m3, f32, 2, 1030, {3, 5});
  add(softmax, f16, bf16, 2, 1, {});
  add(softmax, s8, bf16, 5, 24, {0, 8});
  Signature looped = samples::signature({facts(f32, {2, 1000}), facts(f32, {2, 1000})});
  looped.choices = {{"kept", 0}};  // as rows are that are too long for registers
  looped.choices["threads_per_row"] = 64;
  trials.push_back(trial(softmax, looped, {{}, {}}, 8));
  trials.back().what = "softmax, read once a pass";
  for (const std::int64_t width : {100, 1536})
    trials.push_back(trial(layernorm,
                           samples::signature({facts(bf16, {3, width}), facts(f32, {width}),
                                               facts(f32, {width}), facts(bf16, {3, width})}),
                           {{}, {}, {}, {}}, 9));
  const int codes[] = {2, 0, 4, 36};
  const Array<int> labels(codes, 4, "labels");
  trials.push_back(trial(Program("loss", samples::cross_entropy(labels)),
                         samples::signature({facts(f32, {4, 37}), facts(f32, {4})}), {{}, {}}, 10,
                         {{{4}, {2, 0, 4, 36}}}));
  for (const std::int64_t count : {1, 1023, 5000})
    trials.push_back(trial(
        Program("add", samples::vector_add),
        samples::signature({facts(f32, {count}), facts(f32, {count}, {1, 0}), facts(f32, {count})}),
        {{}, {1, 0}, {}}, 11));
  trials.push_back(
      trial(Program("gelu", samples::bias_gelu),
            samples::signature({facts(f16, {10, 300}), facts(f32, {300}), facts(e4m3, {10, 300})}),
            {{}, {}, {}}, 12));
  trials.push_back(trial(Program("gelu", samples::bias_gelu),
                         samples::signature({facts(f16, {6, 260}, {0, 3}), facts(f32, {260}),
                                             facts(s8, {6, 260}, {5, 1})}),
                         {{0, 3}, {}, {5, 1}}, 13));
  trials.push_back(trial(Program("silu", samples::bias_silu),
                         samples::signature({facts(bf16, {35, 40}), facts(bf16, {33, 40}),
                                             facts(f32, {33}), facts(f32, {35, 33})}),
                         {{}, {}, {}, {}}, 14));
  // Kernels of another program than the one they are held to.
  const auto wrong = [&](const std::string& what, Trial kernel, const Trial& right) {
    kernel.what = what;
    kernel.variant.traced = right.variant.traced;
    trials.push_back(std::move(kernel));
  };
  const Signature row = samples::signature({facts(f32, {1, 600}), facts(f32, {1, 600})});
  const auto of = [&](const auto& lambda) {
    return trial(Program("off", lambda), row, {{}, {}}, 15);
  };
  wrong("exp is off", of(share(1 + 0x1p-18, -1)), of(share(1, -1)));
  wrong("the sum lacks one", of(share(1, 599)), of(share(1, -1)));
  wrong("0 for NaN", of(positive_or(0.0)), of(positive_or(NAN)));
  wrong("0 for -0", of(positive_or(0.0)), of(positive_or(-0.0)));
  EXPECT_THAT(testing::run_all(std::move(trials)),
              ::testing::ElementsAre(::testing::StartsWith("exp is off (off_"),
                                     ::testing::StartsWith("the sum lacks one (off_"),
                                     ::testing::StartsWith("0 for NaN (off_"),
                                     ::testing::StartsWith("0 for -0 (off_")));
}

}  // namespace aisp::jit
