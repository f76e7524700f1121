// The convolution against its definition, and what its tolerance sees.
#include "lab/judge/conv_problem.hpp"

#include <gtest/gtest.h>

#include "base/refuse.hpp"
#include "tests/lab/judge/judged_problem.hpp"

namespace aisp::lab {
namespace {

using Dims = std::vector<std::int64_t>;

std::string refusal(Dims dims, const std::string& variant = "") {
  try {
    conv_problem("a_conv", {variant, std::move(dims)});
  } catch (const base::Refusal& refused) {
    EXPECT_EQ(refused.exit(), base::Exit::usage);
    return refused.what();
  }
  return "";
}

// y by its definition; taps from `last` on are left out, and the filter is moved by `moved` pixels.
std::vector<double> convolved(const ConvShape& shape, const Inputs& inputs, std::int64_t last,
                              std::int64_t moved = 0) {
  std::vector<double> y;
  const auto x = [&](std::int64_t n, std::int64_t h, std::int64_t w, std::int64_t c) {
    if (h < 0 || h >= shape.h || w < 0 || w >= shape.w) return 0.0;
    return inputs[0][((n * shape.h + h) * shape.w + w) * shape.c + c];
  };
  for (std::int64_t n = 0; n < shape.n; ++n)
    for (std::int64_t p = 0; p < shape.p(); ++p)
      for (std::int64_t q = 0; q < shape.q(); ++q)
        for (std::int64_t k = 0; k < shape.k; ++k) {
          double sum = 0;
          for (std::int64_t tap = 0; tap < last; ++tap)
            for (std::int64_t c = 0; c < shape.c; ++c)
              sum += x(n, p * shape.stride - shape.padding() + tap / shape.r * shape.dilation,
                       q * shape.stride - shape.padding() + tap % shape.r * shape.dilation + moved,
                       c) *
                     inputs[1][(k * shape.r * shape.r + tap) * shape.c + c];
          y.push_back(sum);
        }
  return y;
}

TEST(ConvProblem, ReferenceIsTheDefinition) {
  for (const Dims& dims : std::vector<Dims>{{2, 9, 7, 8, 16, 3, 1, 1},
                                            {3, 10, 11, 16, 8, 3, 2, 1},
                                            {1, 12, 9, 8, 8, 5, 1, 2},
                                            {2, 8, 9, 24, 8, 1, 2, 1},
                                            {2, 8, 9, 8, 8, 2, 1, 1}}) {
    const JudgedProblem made(conv_problem("a_conv", {"", dims}));
    const ConvShape shape = conv_shape("a_conv", {"", dims});
    const auto y = convolved(shape, made.inputs, shape.r * shape.r);
    ASSERT_EQ(made.expected[0].size(), y.size());
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(made.expected[0][i], y[i], 1e-11);
  }
}

TEST(ConvProblem, ExtentsAndWorkAreThoseOfTheOutput) {
  const Problem made = conv_problem("a_conv", {"", {2, 9, 7, 8, 16, 3, 2, 1}});
  EXPECT_EQ(made.outputs[0].tensor.shape, (Dims{2, 5, 4, 16}));
  EXPECT_EQ(made.flops, 2.0 * (2 * 5 * 4) * 16 * (9 * 8));
  EXPECT_EQ(made.bytes, 2.0 * (2 * 9 * 7 * 8 + 16 * 9 * 8 + 2 * 5 * 4 * 16));
  const ConvShape dilated = conv_shape("a_conv", {"", {1, 20, 30, 8, 8, 3, 1, 4}});
  EXPECT_EQ(dilated.p(), 20) << "padding keeps the extent";
  EXPECT_EQ(dilated.q(), 30);
}

TEST(ConvProblem, RightValuesPassAndMistakesDoNot) {
  const Dims dims{2, 9, 11, 64, 16, 3, 1, 1};
  const JudgedProblem made(conv_problem("a_conv", {"", dims}));
  const ConvShape shape = conv_shape("a_conv", {"", dims});
  const Judgement good = made.judgement(0, convolved(shape, made.inputs, 9));
  EXPECT_TRUE(good.right) << good.report;
  const auto wrong_share = [&](const std::vector<double>& y) {
    return static_cast<double>(made.judgement(0, y).wrong) / static_cast<double>(y.size());
  };
  EXPECT_GT(wrong_share(convolved(shape, made.inputs, 8)), 0.7) << "the last tap left out";
  EXPECT_GT(wrong_share(convolved(shape, made.inputs, 9, 1)), 0.9) << "a pixel to the right";
}

TEST(ConvProblem, RefusesWhatTheCopyEngineDoesNotMove) {
  EXPECT_EQ(
      refusal({2, 9, 7, 12, 16, 3, 1, 1}),
      "a_conv in bf16 needs C and K divisible by 8 (16-byte rows of channels): got 12 and 16; "
      "pad to 16 and 16");
  EXPECT_EQ(
      refusal({2, 9, 7, 24, 32, 3, 1, 1}, "groups"),
      "a_conv in bf16 and groups needs C and K divisible by 32 (16-byte rows of channels): got "
      "24 and 32; pad to 32 and 32");
  EXPECT_EQ(refusal({2, 9, 7, 8, 16, 3, 9, 1}), "a_conv takes strides up to 8: got 9");
  EXPECT_EQ(
      refusal({2, 900, 900, 8, 16, 3, 1, 64}),
      "a_conv takes filters that reach over up to 127 pixels: dilation 64 times R - 1 is 128");
  EXPECT_EQ(
      refusal({2, 1, 9, 8, 16, 4, 1, 1}),
      "a_conv needs images that hold the filter once: it covers 4 pixels, the padded image is "
      "3x11");
  EXPECT_EQ(refusal({2, 9, 7, 8, 16, 3, 1, 1}), "");
}

}  // namespace
}  // namespace aisp::lab
