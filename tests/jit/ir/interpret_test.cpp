// The interpreter against loops written by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "jit/ir/interpret.hpp"
#include "tests/jit/support/programs.hpp"

namespace aisp::jit {

static std::vector<double> numbers(std::size_t count, int seed) {
  std::vector<double> result(count);
  for (std::size_t at = 0; at < count; ++at)
    result[at] = std::sin(static_cast<double>(at * 7 + static_cast<std::size_t>(seed)));
  return result;
}

TEST(Interpret, Softmax) {
  const std::int64_t rows = 3, columns = 37;
  std::vector<HostTensor> tensors{{{rows, columns}, numbers(111, 1)},
                                  {{rows, columns}, std::vector<double>(111)}};
  interpret(trace("softmax", samples::softmax,
                  samples::signature({{f32, {rows, columns}}, {f16, {rows, columns}}}))
                .function,
            tensors);
  for (std::int64_t row = 0; row < rows; ++row) {
    const double* in = tensors[0].values.data() + row * columns;
    double most = in[0], total = 0;
    for (int at = 0; at < columns; ++at) most = std::max(most, in[at]);
    for (int at = 0; at < columns; ++at) total += std::exp(in[at] - most);
    for (int at = 0; at < columns; ++at)
      EXPECT_EQ(tensors[1].values[static_cast<std::size_t>(row * columns + at)],
                rounded(f16, std::exp(in[at] - most) / total));
  }
}

TEST(Interpret, ProductWithBiasAndActivation) {
  const std::int64_t m = 33, n = 40, k = 21;
  std::vector<HostTensor> tensors{{{m, k}, numbers(m * k, 1)},
                                  {{n, k}, numbers(n * k, 2)},
                                  {{n}, numbers(n, 3)},
                                  {{m, n}, std::vector<double>(m * n)}};
  interpret(trace("gemm", samples::bias_silu,
                  samples::signature({{bf16, {m, k}}, {bf16, {n, k}}, {f32, {n}}, {f32, {m, n}}}))
                .function,
            tensors);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double v = tensors[2].values[j];
      for (int l = 0; l < k; ++l) v += tensors[0].values[i * k + l] * tensors[1].values[j * k + l];
      EXPECT_NEAR(tensors[3].values[i * n + j], v / (1 + std::exp(-v)), 1e-6) << i << ' ' << j;
    }
}

TEST(Interpret, CrossEntropy) {
  const int labels[] = {2, 0, 4};
  const Array<int> array(labels, 3);
  std::vector<HostTensor> tensors{{{3, 5}, numbers(15, 1)}, {{3}, {0, 0, 0}}, {{3}, {2, 0, 4}}};
  interpret(
      trace("loss", samples::cross_entropy(array), samples::signature({{f32, {3, 5}}, {f32, {3}}}))
          .function,
      tensors);
  for (int row = 0; row < 3; ++row) {
    double total = 0;
    for (int at = 0; at < 5; ++at) total += std::exp(tensors[0].values[row * 5 + at]);
    EXPECT_NEAR(tensors[1].values[row], std::log(total) - tensors[0].values[row * 5 + labels[row]],
                1e-6);
  }
}

TEST(Interpret, AnIndexOutOfRangeIsRefusedByPlace) {
  const int labels[] = {9};
  const Array<int> array(labels, 1, "labels");
  const auto lambda = [&](Input<1> x, Output<1> y) {
    auto row = blocks(x.extent(0), 1);
#line 9 "flex.cpp"
    y.store({row}, array[row] + x.load({row}, {1}));
  };
  std::vector<HostTensor> tensors{{{2}, {0, 0}}, {{2}, {0, 0}}, {{1}, {9}}};
  try {
    interpret(trace("flex", lambda, samples::signature({{f32, {2}}, {f32, {2}}})).function,
              tensors);
    FAIL();
  } catch (const base::Refusal& refused) {
    EXPECT_STREQ(refused.what(),
                 "flex.cpp:9: labels[…]: index up to 1, the array has 1; make it longer, or take "
                 "where(inside, index, 0)");
  }
}

TEST(Interpret, StoresRoundAsTheHardwareDoes) {
  EXPECT_EQ(rounded(e4m3, 1000), 448);
  EXPECT_EQ(rounded(e5m2, 1e9), 57344);
  EXPECT_EQ(rounded(s8, 2.5), 2);
  EXPECT_EQ(rounded(s8, -1000), -128);
  EXPECT_EQ(rounded(s8, std::nan("")), 0);
  EXPECT_TRUE(std::isinf(rounded(f16, 1e9)));
  EXPECT_EQ(rounded(bf16, 1.00390625), 1);  // a tie, to even
  EXPECT_EQ(rounded(f32, 1 + 0x1p-30), 1);
}

}  // namespace aisp::jit
