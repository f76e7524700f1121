// Extents of 0: a sum without terms is 0, and what has no elements is left alone. Prints "ok" and
// returns 0 when every element is right.
#include <stdexcept>

#include "tests/tile/kernels/attention_on_host.hpp"
#include "tests/tile/kernels/contraction_on_host.hpp"
#include "tests/tile/kernels/conv2d_on_host.hpp"
#include "tile/device/contract/contract.hpp"
#include "tile/device/gemm/block_scaled.hpp"
#include "tile/device/gemm/gemm.hpp"
#include "tile/device/gemm/grouped.hpp"

using namespace aisp;

namespace {

using namespace tile::device;
using gemm_test::require;
using tile::Element;
using tile::Major;
using TestMatrix = gemm_test::Matrix;

constexpr int rows = 70, columns = 40, batch = 2;

void fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

// A matrix of a batch with gaps, poisoned or filled.
struct Given {
  Given(Element element, Major major, std::uint64_t seed = 0)
      : matrix(TestMatrix::of_lines(element, major, batch, rows, columns,
                                    (major == Major::k ? columns : rows) + 16)),
        major(major) {
    if (seed != 0) matrix.fill(seed, batch);
    matrix.upload();
  }
  tile::device::Matrix described() const {
    return {.data = matrix.data(),
            .element = matrix.element,
            .stride = major == Major::k ? matrix.row_stride : matrix.column_stride,
            .major = major,
            .batch_stride = matrix.batch_stride};
  }
  // Every element is want(batch, row, column) to one rounding, and no gap is written.
  template <class Want>
  void check(const char* what, const Want& want) {
    require(cudaDeviceSynchronize(), what);
    matrix.download();
    for (int b = 0; b < batch; ++b)
      for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
          const double is = matrix.at(b, row, column), must = want(b, row, column);
          const double off = std::abs(must) * (gemm_test::rounding_of(matrix.element) + 0x1p-21);
          if (!(std::abs(is - must) <= off))
            fail(base::say(what, ": (", b, ", ", row, ", ", column, ") is ", is, ", not ", must));
        }
    if (!matrix.gaps_untouched(batch)) fail(base::say(what, ": wrote between the rows"));
  }
  TestMatrix matrix;
  Major major;
};

constexpr auto zero = [](int, int, int) { return 0.0; };

// A and B without terms have no memory.
GemmProblem without_terms(Element a, Given& d) {
  GemmProblem problem{.m = rows, .n = columns, .k = 0, .batch = batch};
  problem.a.element = problem.b.element = a;
  problem.d = d.described();
  problem.alpha = d.matrix.element == Element::s32 ? 1 : INFINITY;  // no term is multiplied by it
  return problem;
}

void sums_without_terms() {
  using enum Element;
  for (const auto& [a, out] : {std::pair{bf16, bf16},
                               {bf16, f32},
                               {f16, f16},
                               {tf32, f32},
                               {e4m3, bf16},
                               {e5m2, bf16},
                               {s8, s32}})
    for (const Major major : {Major::k, Major::mn}) {
      Given d(out, major);
      gemm(without_terms(a, d));
      d.check("gemm without terms", zero);
      if (out == s32) continue;
      Given c(out, major, 3), with_c(out, major);
      GemmProblem problem = without_terms(a, with_c);
      problem.c = c.described(), problem.beta = -0.5;
      gemm(problem);
      with_c.check("gemm without terms, beta C",
                   [&](int b, int row, int column) { return -0.5 * c.matrix.at(b, row, column); });
    }
}

void fused_without_terms() {
  Given d(Element::bf16, Major::k), c(Element::bf16, Major::k, 3);
  TestMatrix bias = TestMatrix::of_lines(Element::bf16, Major::k, 1, 1, columns, columns);
  bias.fill(4, 1);
  bias.upload();
  GemmProblem problem = without_terms(Element::bf16, d);
  problem.c = c.described(), problem.beta = 2;
  problem.bias.data = bias.data(), problem.activation = tile::Activation::relu;
  plan_gemm(problem).run();
  d.check("gemm without terms, relu(beta C + bias)", [&](int b, int row, int column) {
    return std::max(0.0, 2 * c.matrix.at(b, row, column) + bias.at(0, 0, column));
  });
  TestMatrix one = TestMatrix::of_lines(Element::bf16, Major::k, 1, rows, columns, columns);
  one.upload();
  BlockScaledProblem scaled{.product = {.m = rows, .n = columns, .k = 0}, .bias = bias.data()};
  scaled.product.a.element = scaled.product.b.element = Element::e4m3;
  scaled.product.d = {.data = one.data(), .stride = columns};
  plan_gemm_block_scaled(scaled).run();
  require(cudaDeviceSynchronize(), "block scales without terms");
  one.download();
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      if (one.at(0, row, column) != bias.at(0, 0, column)) fail("block scales: not the bias");
}

// One group has no terms, one no rows, one is a product.
void groups_without_terms() {
  constexpr int m = 24, n = 16, k = 32;
  const auto matrix = [](int lines, int length) {
    return TestMatrix::of_lines(Element::bf16, Major::k, 1, lines, length, length);
  };
  TestMatrix a = matrix(m, k), b = matrix(n, k), d = matrix(m, n), zeros = matrix(m, n);
  a.fill(1, 1), b.fill(2, 1);
  for (TestMatrix* one : {&a, &b, &d, &zeros}) one->upload();
  GemmProblem product{.m = m, .n = n, .k = k};
  product.a = {.data = a.data(), .stride = k};
  product.b = {.data = b.data(), .stride = k};
  product.d = {.data = d.data(), .stride = n};
  GemmProblem no_terms{.m = m, .n = n, .k = 0}, no_rows = product;
  no_terms.d = {.data = zeros.data(), .stride = n};
  no_rows.m = 0;
  const GemmProblem all[] = {no_terms, product, no_rows};
  gemm_grouped(all);
  d.download();
  gemm_test::check("a group beside one without terms", {m, n, k}, a, b, d);
  zeros.download();
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column)
      if (zeros.at(0, row, column) != 0) fail("a group without terms is not 0");
}

void nothing_to_compute() {
  for (const int which : {0, 1, 2}) {
    GemmProblem problem{.m = rows, .n = columns, .k = 8, .batch = batch};
    (which == 0 ? problem.m : which == 1 ? problem.n : problem.batch) = 0;
    gemm(problem);
    plan_gemm(problem).run();
  }
  BlockScaledProblem scaled{.product = {.m = 0, .n = columns, .k = 128}};
  scaled.product.a.element = scaled.product.b.element = Element::e4m3;
  plan_gemm_block_scaled(scaled).run();
  Conv2dProblem none{.n = 0, .h = 8, .w = 8, .c = 16, .k = 16, .r = 3, .s = 3};
  conv2d(none);
  none.direction = Conv2dDirection::backward_data;
  conv2d(none);
  contract(contraction("mk,nk->mn", {{'m', 0}, {'n', 8}, {'k', 8}}));
  attention({.batch = 0, .query_rows = 4, .kv_rows = 4, .head_size = 64});
  attention({.batch = 2, .query_rows = 0, .kv_rows = 4, .head_size = 64});
}

void zeros_elsewhere() {
  Conv2dProblem weights{.n = 0, .h = 8, .w = 8, .c = 16, .k = 16, .r = 3, .s = 3};
  weights.direction = Conv2dDirection::backward_weights;
  auto gradient = conv2d_test::dense(Element::bf16, weights.k, weights.r * weights.s * weights.c);
  gradient.upload();
  weights.dw = gradient.data();
  conv2d(weights);
  require(cudaDeviceSynchronize(), "gradient of a filter without images");
  gradient.download();
  for (int row = 0; row < gradient.rows; ++row)
    for (int column = 0; column < gradient.columns; ++column)
      if (gradient.at(0, row, column) != 0) fail("the gradient of a filter is not 0");
  if (!gradient.gaps_untouched(1)) fail("wrote behind the gradient of a filter");

  for (const bool gaps : {false, true}) {
    ContractionProblem sum = contraction("abk,ck->abc", {{'a', 3}, {'b', 5}, {'c', 8}, {'k', 0}});
    if (gaps) sum.d.strides = {1000, 50, 4};
    contraction_test::Memory d(sum.d);
    d.upload();
    sum.d.data = d.data();
    contract(sum);
    require(cudaDeviceSynchronize(), "a contraction over nothing");
    d.download();
    contraction_test::for_all("abc", {{'a', 3}, {'b', 5}, {'c', 8}}, {}, [&](const auto& at) {
      if (d.at(d.offset(at)) != 0) fail("a contraction over nothing is not 0");
    });
    if (!d.gaps_untouched()) fail("a contraction over nothing wrote between its elements");
  }
}

void attention_without_keys() {
  using attention_test::Attention;
  using attention_test::Setup;
  for (const int queries : {1, 200})
    Attention("no keys", Setup{.head_size = 64,
                               .query_heads = 2,
                               .query_rows = queries,
                               .kv_rows = 0,
                               .keys = {0, 0},
                               .lengths = false})
        .run([](AttentionProblem problem) {
          problem.k.data = problem.v.data = nullptr;
          return plan_attention(problem);
        });

  constexpr int heads = 2, queries = 130, size = 64;
  TestMatrix q = TestMatrix::of_lines(Element::e4m3, Major::k, 1, heads * queries, size, size);
  TestMatrix o = TestMatrix::of_lines(Element::bf16, Major::k, 1, heads * queries, size, size);
  q.fill(1, 1);
  q.upload(), o.upload();
  const std::vector<float> one(heads * 2, 1.0f);
  const auto* scales =
      static_cast<const float*>(attention_test::upload(one.data(), 4 * one.size()));
  AttentionProblem fp8{.query_heads = heads,
                       .kv_heads = heads,
                       .query_rows = queries,
                       .head_size = size,
                       .q_scales = scales,
                       .k_scales = scales,
                       .v_scales = scales};
  fp8.q = {q.data(), Element::e4m3, size, queries * size};
  fp8.o = {o.data(), Element::bf16, size, queries * size};
  fp8.k.element = fp8.v.element = Element::e4m3;
  attention(fp8);
  require(cudaDeviceSynchronize(), "fp8 without keys");
  o.download();
  for (int row = 0; row < o.rows; ++row)
    for (int column = 0; column < size; ++column)
      if (o.at(0, row, column) != 0) fail("attention in fp8 without keys is not 0");
}

}  // namespace

int main() try {
  sums_without_terms();
  fused_without_terms();
  groups_without_terms();
  nothing_to_compute();
  zeros_elsewhere();
  attention_without_keys();
  std::puts("ok");
} catch (const std::exception& error) {
  std::fprintf(stderr, "empty_extents: %s\n", error.what());
  return 1;
}
