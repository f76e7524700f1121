// The float64 matrix product behind micro_tiling_matmul, cublaslt_gemm and roof:matrix against the
// definition, on shapes that cross every block of the blocked version.
#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "base/refuse.hpp"
#include "tests/chapters/target_under_test.hpp"

using namespace aisp;

namespace {

using testing::HasSubstr;

struct GemmTarget {
  std::string id, variant;
  bool b_is_nk;
};
// Otherwise the names of the tests hold the bytes of the strings' addresses.
void PrintTo(const GemmTarget& target, std::ostream* out) {
  *out << target.id << (target.variant.empty() ? "" : " ") << target.variant;
}

class GemmReference : public testing::TestWithParam<GemmTarget> {};

TEST_P(GemmReference, IsTheSumOfProducts) {
  const auto& [id, variant, b_is_nk] = GetParam();
  for (const std::vector<std::int64_t>& dims : std::vector<std::vector<std::int64_t>>{
           {1, 16, 16}, {5, 48, 16}, {7, 32, 272}, {33, 16, 528}}) {
    const auto problem = tests::target(id).problem({variant, dims});
    const auto inputs = tests::random_inputs(problem, 7);
    const auto expected = tests::expected_of(problem, inputs).at(0);
    const auto m = dims[0], n = dims[1], k = dims[2];
    for (std::int64_t row = 0; row < m; ++row) {
      for (std::int64_t column = 0; column < n; ++column) {
        double sum = 0.0;
        for (std::int64_t i = 0; i < k; ++i)
          sum += inputs[0][row * k + i] * inputs[1][b_is_nk ? column * k + i : i * n + column];
        ASSERT_NEAR(expected[static_cast<std::size_t>(row * n + column)], sum, 1e-12)
            << id << ' ' << m << 'x' << n << 'x' << k << " at " << row << ", " << column;
      }
    }
  }
}

TEST_P(GemmReference, CountsWorkAndBytes) {
  const auto& [id, variant, b_is_nk] = GetParam();
  const auto problem = tests::target(id).problem({variant, {48, 64, 80}});
  const auto in = lab::bytes_of(problem.inputs[0].dtype);
  const auto out = lab::bytes_of(problem.outputs[0].tensor.dtype);
  EXPECT_DOUBLE_EQ(problem.flops, 2.0 * 48 * 64 * 80);
  EXPECT_DOUBLE_EQ(problem.bytes, static_cast<double>(in * (48 + 64) * 80 + out * 48 * 64));
}

// A missing k-block of 8 changes an element by about sqrt(8) / 3. At the full size the tolerance
// must be far below that, or the check is for show.
TEST_P(GemmReference, ToleranceSeesAMissingTile) {
  const auto& [id, variant, b_is_nk] = GetParam();
  const auto& size = tests::target(id).full.at(0);
  const auto problem = tests::target(id).problem({variant, size.dims});
  const auto& tolerance = problem.outputs[0].tolerance;
  const double typical = std::sqrt(static_cast<double>(size.dims[2])) / 3;
  EXPECT_GT(tolerance.absolute, 0.0);
  EXPECT_LT(tolerance.absolute + tolerance.relative * typical,
            variant == "fp8" ? 0.2 * typical : 0.02 * typical);
}

INSTANTIATE_TEST_SUITE_P(Targets, GemmReference,
                         testing::Values(GemmTarget{"ch09:micro_tiling_matmul", "", false},
                                         GemmTarget{"ch09:cublaslt_gemm", "bf16", true},
                                         GemmTarget{"ch09:cublaslt_gemm", "fp16", true},
                                         GemmTarget{"ch09:cublaslt_gemm", "fp32", true},
                                         GemmTarget{"ch09:cublaslt_gemm", "tf32", true},
                                         GemmTarget{"ch09:cublaslt_gemm", "fp8", true},
                                         GemmTarget{"roof:matrix", "bf16", true},
                                         GemmTarget{"roof:matrix", "fp8", true},
                                         GemmTarget{"roof:matrix", "tf32", true}));

void expect_refused(const std::string& id, const lab::Size& size, const std::string& way_out) {
  try {
    tests::target(id).problem(size);
    FAIL() << id << " took " << size.label();
  } catch (const base::Refusal& refusal) {
    EXPECT_EQ(refusal.exit(), base::Exit::usage);
    EXPECT_THAT(refusal.what(), HasSubstr(way_out));
  }
}

TEST(GemmSizes, UnalignedRowsAreRefusedWithThePaddedSize) {
  expect_refused("ch09:micro_tiling_matmul", {"", {5, 6, 8}}, "pad to 5x8x8");
  expect_refused("ch09:micro_tiling_matmul", {"", {5, 8, 7}}, "pad to 5x8x8");
  expect_refused("ch09:cublaslt_gemm", {"bf16", {3, 8, 12}}, "pad to 3x8x16");
  expect_refused("ch09:cublaslt_gemm", {"fp8", {3, 8, 16}}, "pad to 3x16x16");
  expect_refused("roof:matrix", {"fp8", {3, 8, 16}}, "pad to 3x16x16");
}

TEST(GemmSizes, HugeExtentsAreRefused) {
  expect_refused("ch09:micro_tiling_matmul", {"", {1 << 20, 8, 8}}, "split the product");
  expect_refused("ch09:cublaslt_gemm", {"fp16", {8, 8, 1 << 20}}, "split the product");
}

TEST(GemmSizes, AliasesPickTheirVariant) {
  const auto chosen = lab::select_targets("cublaslt_gemm_fp8");
  ASSERT_EQ(chosen.size(), 1u);
  EXPECT_EQ(chosen[0].target->id(), "ch09:cublaslt_gemm");
  EXPECT_EQ(chosen[0].variant, "fp8");
  EXPECT_EQ(lab::select_targets("cublaslt_gemm_fp16").at(0).variant, "fp16");
}

TEST(GemmLadders, ClimbInTheStatedOrder) {
  std::vector<std::string> names;
  for (const auto& rung : lab::rungs_of(tests::target("ch09:micro_tiling_matmul")))
    names.push_back(rung.name);
  EXPECT_THAT(names, testing::ElementsAre("naive", "shared_tile", "micro_tiles", "cp_async_ring",
                                          "cublas_fp32"));
}

}  // namespace
