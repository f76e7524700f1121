// Contractions against their definition, and what their tolerance sees.
#include "lab/judge/contraction_problem.hpp"

#include <gtest/gtest.h>

#include "base/refuse.hpp"
#include "tests/lab/judge/judged_problem.hpp"

namespace aisp::lab {
namespace {

using Dims = std::vector<std::int64_t>;

Problem heads(const Dims& dims) {
  const Size size{"heads", dims};
  return contraction_problem("a_sum", size, contraction_shape("bhsd,hde->bse", "bhsde", size));
}

// Heads from `last` on are left out; `moved` reads the weights of another head.
std::vector<double> projected(const Dims& n, const Inputs& inputs, std::int64_t last,
                              std::int64_t moved = 0) {
  std::vector<double> y;
  for (std::int64_t b = 0; b < n[0]; ++b)
    for (std::int64_t s = 0; s < n[2]; ++s)
      for (std::int64_t e = 0; e < n[4]; ++e) {
        double sum = 0;
        for (std::int64_t h = 0; h < last; ++h)
          for (std::int64_t d = 0; d < n[3]; ++d)
            sum += inputs[0][((b * n[1] + h) * n[2] + s) * n[3] + d] *
                   inputs[1][((h + moved) % n[1] * n[3] + d) * n[4] + e];
        y.push_back(sum);
      }
  return y;
}

TEST(ContractionProblem, RightValuesPassAndMistakesDoNot) {
  const Dims dims{2, 3, 5, 16, 8};
  const JudgedProblem made(heads(dims));
  const auto judged = [&](std::int64_t last, std::int64_t moved = 0) {
    return made.judgement(0, projected(dims, made.inputs, last, moved));
  };
  EXPECT_TRUE(judged(3).right) << judged(3).report;
  EXPECT_GT(judged(2).wrong, 60) << "a head left out";
  EXPECT_GT(judged(3, 1).wrong, 60) << "weights of another head";
}

TEST(ContractionProblem, BatchesAndColumnsOfTheOtherOperand) {
  const Size size{"", {2, 3, 8, 16}};
  const JudgedProblem made(
      contraction_problem("a_sum", size, contraction_shape("bmk,bnk->nbm", "bnmk", size)));
  std::vector<double> d;
  for (std::int64_t n = 0; n < 3; ++n)
    for (std::int64_t b = 0; b < 2; ++b)
      for (std::int64_t m = 0; m < 8; ++m) {
        double sum = 0;
        for (std::int64_t k = 0; k < 16; ++k)
          sum += made.inputs[0][(b * 8 + m) * 16 + k] * made.inputs[1][(b * 3 + n) * 16 + k];
        d.push_back(sum);
      }
  EXPECT_TRUE(made.judgement(0, d).right) << made.judgement(0, d).report;
  EXPECT_EQ(made.problem.flops, 2.0 * 2 * 3 * 8 * 16);
}

TEST(ContractionProblem, ExtentsAndWork) {
  const Problem made = heads({2, 3, 5, 16, 8});
  EXPECT_EQ(made.outputs[0].tensor.shape, (Dims{2, 5, 8}));
  EXPECT_EQ(made.flops, 2.0 * (2 * 5 * 8) * (3 * 16));
  EXPECT_EQ(made.bytes, 2.0 * (2 * 3 * 5 * 16 + 3 * 16 * 8 + 2 * 5 * 8));
  const auto refusal = [](const Dims& dims) -> std::string {
    try {
      heads(dims);
    } catch (const base::Refusal& refused) {
      EXPECT_EQ(refused.exit(), base::Exit::usage);
      return refused.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({2, 3, 5, 12, 8}),
            "a_sum needs d divisible by 8 (16 bytes of bhsd): got 12; pad to 16");
  EXPECT_EQ(refusal({2, 3, 5, 16, 1 << 20}), "a_sum takes extents up to 524288: e is 1048576");
}

}  // namespace
}  // namespace aisp::lab
