// What tracing records, and what it refuses, with the user's place.
#include <gtest/gtest.h>

#include <filesystem>

#include "jit/ir/print.hpp"
#include "tests/jit/support/programs.hpp"

namespace aisp::jit {

template <class Lambda>
static std::string refusal(const Lambda& lambda, const Signature& signature) {
  try {
    trace("program", lambda, signature);
  } catch (const base::Refusal& refused) {
    return refused.what();
  }
  return "accepted";
}

TEST(Trace, RecordsSoftmax) {
  const Traced traced = trace("softmax", samples::softmax,
                              samples::signature({{bf16, {8, 4096}}, {bf16, {8, 4096}}}));
  const std::string text = print(traced.function);
  EXPECT_NE(text.find("program softmax(in x: bf16[2], out y: bf16[2])\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("reduce %6:v max axis 1 : f32(1, 1)  // programs.hpp:12"), std::string::npos)
      << text;
  EXPECT_NE(text.find("store "), std::string::npos) << text;
}

TEST(Trace, WholeRowsAreOfAClass) {
  EXPECT_EQ(width_class(1), 1);
  EXPECT_EQ(width_class(33), 64);
  EXPECT_EQ(width_class(4096), 4096);
  EXPECT_EQ(width_class(4100), 6144);
  EXPECT_EQ(width_class(6145), 8192);
}

TEST(Trace, NamesTheCallInTheUsersFile) {
  const auto lambda = [](Input<2> x, Output<2> y) {
    auto v = x.load({0, 0}, {1, whole});
#line 14 "tests/jit/trace/softmax.cpp"
    y.store({0, 0}, v / sum(v, axis(2)));
  };
  const Signature rows = samples::signature({{f32, {8, 4096}}, {f32, {8, 4096}}});
  // The call's own words are read from the file, where it is there.
  EXPECT_EQ(refusal(lambda, rows),
            "softmax.cpp:14: sum(…, axis(2)): the tile (1, 4096) has no axis 2; use 0 or 1");
}
#line 51 "tests/jit/trace/trace_test.cpp"

TEST(Trace, SaysTheCallAsItIsWritten) {
  std::filesystem::current_path(AISP_BUILD_DIR);  // what names of sources start from
  const auto lambda = [](Input<2> x, Output<2> y) {
    auto v = x.load({0, 0}, {1, whole});
#include "tests/jit/trace/sum_along_axis_2.inc"
  };
  EXPECT_EQ(
      refusal(lambda, samples::signature({{f32, {8, 4096}}, {f32, {8, 4096}}})),
      "sum_along_axis_2.inc:2: sum(v, axis(2)): the tile (1, 4096) has no axis 2; use 0 or 1");
}

TEST(Trace, ProductsWantEqualInnerExtents) {
  const auto lambda = [](Input<2> a, Input<2> b, Output<2> d) {
#line 22 "gemm.cpp"
    d.store({0, 0}, dot(a.at({0, 0}, {128, 64}), b.at({0, 0}, {128, 64})));
  };
  const Signature three =
      samples::signature({{bf16, {128, 64}}, {bf16, {128, 64}}, {f32, {128, 128}}});
  EXPECT_EQ(refusal(lambda, three),
            "gemm.cpp:22: dot: (128, 64) x (128, 64): inner extents 64 and 128 differ; transpose "
            "the second");
}

TEST(Trace, TilesSpreadOrAreRefused) {
  const auto lambda = [](Input<2> x, Output<2> y) {
#line 7 "odd.cpp"
    y.store({0, 0}, x.load({0, 0}, {2, 8}) + x.load({0, 0}, {3, 8}));
  };
  EXPECT_EQ(refusal(lambda, samples::signature({{f32, {8, 8}}, {f32, {8, 8}}})),
            "odd.cpp:7: add: the tiles (2, 8) and (3, 8) do not spread to one shape; axes are "
            "equal or 1");
}

TEST(Trace, CallsFitTheLambda) {
  EXPECT_EQ(refusal(samples::softmax, samples::signature({{f32, {8, 8}}})),
            "program: called with 1 tensor, the lambda takes 2: Input<2>, Output<2>");
  EXPECT_EQ(refusal(samples::softmax, samples::signature({{f32, {8}}, {f32, {8, 8}}})),
            "program: tensor 0 has 1 axes, the lambda takes Input<2> there");
  EXPECT_EQ(
      refusal(samples::softmax, samples::signature({{f32, {8, 8}}, {f32, {8, 8}}, {f32, {8}}})),
      "program: called with 3 tensors, the lambda takes 2: Input<2>, Output<2>");
}

TEST(Trace, NothingIsTracedOutsideOfAProgram) {
  try {
    Tile(0) + 1.0;
    FAIL();
  } catch (const base::Refusal& refused) {
    EXPECT_STREQ(
        refused.what(),
        "tile values exist while a program is traced; write this in the lambda of a jit::Program");
  }
}

TEST(Trace, ChoicesAreSetByTheCall) {
  Signature three =
      samples::signature({{bf16, {64, 48}}, {bf16, {64, 48}}, {f32, {64}}, {f32, {64, 64}}});
  three.choices["tile_n"] = 16;
  const std::string text = print(trace("gemm", samples::bias_silu, three).function);
  EXPECT_NE(text.find("choice tile_n = 16 of (32)"), std::string::npos) << text;
  EXPECT_NE(text.find(": f32(32, 16)"), std::string::npos) << text;
}

TEST(Trace, SumsOfIntegerProductsAreIntegers) {
  const std::string text = print(
      trace("gemm", samples::bias_silu,
            samples::signature({{s8, {64, 48}}, {s8, {64, 48}}, {f32, {64}}, {f32, {64, 64}}}))
          .function);
  EXPECT_NE(text.find(" : s32(32, 32)"), std::string::npos) << text;
}

}  // namespace aisp::jit
