#include "app/tune/row_check.hpp"

#include <gtest/gtest.h>

#include "app/tune/tune_options.hpp"
#include "lab/case/references.hpp"

namespace aisp::app {
namespace {

struct Product {
  explicit Product(const lab::Size& size) : problem(problem_of(size)) {
    for (std::uint32_t i = 0; i < 2; ++i)
      inputs.push_back(lab::random_tensor(problem.inputs[i], 3, i));
    std::vector<std::vector<double>> expected(1);
    expected[0].resize(static_cast<std::size_t>(problem.outputs[0].tensor.count()));
    problem.reference(inputs, expected);
    output.resize(static_cast<std::size_t>(problem.outputs[0].tensor.bytes()));
    for (std::size_t i = 0; i < expected[0].size(); ++i)
      lab::write_element(problem.outputs[0].tensor.dtype, output.data(),
                         static_cast<std::int64_t>(i), expected[0][i]);
  }
  bool right(const RowCheck& check) { return check.judge(*device, output.data()).right; }

  lab::Problem problem;
  lab::Inputs inputs;
  std::vector<std::byte> output;
  std::unique_ptr<lab::Device> device = lab::open_host_device();
};

TEST(RowCheck, SmallProductsAreCheckedWhole) {
  Product product({"bf16", {7, 16, 8}});
  const RowCheck check(product.problem, product.inputs);
  EXPECT_EQ(check.rows().size(), 7u);
  EXPECT_TRUE(product.right(check));
  for (std::size_t at = 0; at < product.output.size(); at += 2) {
    const std::byte before = product.output[at + 1];
    product.output[at + 1] = std::byte{0xff};
    EXPECT_FALSE(product.right(check)) << at;
    product.output[at + 1] = before;
  }
}

// Whatever 64 rows stand for the tile that a kernel got wrong or left out.
TEST(RowCheck, EveryTileOfALargeProductHasACheckedRow) {
  Product product({"bf16", {1000, 64, 1056}});
  const RowCheck check(product.problem, product.inputs);
  EXPECT_LT(check.rows().size(), 20u);
  EXPECT_EQ(check.rows().back(), 999);
  EXPECT_TRUE(product.right(check));
  const std::size_t row_bytes = 128;
  for (std::size_t first = 0; first < 1000; first += 64) {
    const auto before = product.output;
    const std::size_t rows = std::min<std::size_t>(64, 1000 - first);
    std::fill_n(product.output.begin() + static_cast<long>(first * row_bytes), rows * row_bytes,
                std::byte{0xff});
    const auto judgement = check.judge(*product.device, product.output.data());
    EXPECT_FALSE(judgement.right) << first;
    EXPECT_TRUE(judgement.report.ends_with("; row i of these is row 61 i of the result"));
    product.output = before;
  }
}

}  // namespace
}  // namespace aisp::app
