#include "tile/collective/epilogue/nodes.hpp"

#include "tests/tile/collective/epilogue_support.hpp"

using namespace aisp;

namespace {

using namespace tile;
using namespace epilogue_test;

struct Size {
  int batches, rows, columns, padding, shift;
};
// Even and odd strides, aligned and unaligned starts; the last fragments hang over both edges.
constexpr Size sizes[] = {{1, 16, 8, 0, 0},  {2, 33, 19, 0, 0}, {3, 7, 1, 3, 0},
                          {2, 24, 14, 2, 1}, {1, 9, 17, 1, 1},  {2, 50, 30, 6, 0}};

template <Element element>
void check_source_and_vectors() {
  std::mt19937 random(4);
  for (const Size& size : sizes) {
    const auto [batches, rows, columns, padding, shift] = size;
    const auto accumulators = random_accumulators(random, batches, rows, columns);
    Guarded<element> source(batches, rows, columns, padding, shift);
    Guarded<element> bias(batches, 1, columns, padding, shift);
    Guarded<element> scale(batches, 1, rows, padding, shift);
    source.fill(random);
    bias.fill(random);
    scale.fill(random);
    using Tree =
        Add<Multiply<Add<Accumulator, ColumnVector<element>>, RowVector<element>>, Source<element>>;
    const typename Tree::Params params{
        .left = {.left = {.right = {.data = bias.data(), .batch_stride = bias.batch_stride()}},
                 .right = {.data = scale.data(), .batch_stride = scale.batch_stride()}},
        .right = {
            .data = source.data(), .stride = source.stride, .batch_stride = source.batch_stride()}};
    expect_tree<Tree>(params, accumulators, [&](int b, int r, int c) {
      return (accumulators.at(b, r, c) + bias.value(b, 0, c)) * scale.value(b, 0, r) +
             source.value(b, r, c);
    });
  }
}

TEST(EpilogueNodes, MatricesAndVectorsOfEveryElement) {
  check_source_and_vectors<Element::f32>();
  check_source_and_vectors<Element::bf16>();
  check_source_and_vectors<Element::f16>();
  check_source_and_vectors<Element::e4m3>();
  check_source_and_vectors<Element::e5m2>();
  check_source_and_vectors<Element::s8>();
  check_source_and_vectors<Element::s32>();
}

// Exactly the elements of the output are backed by memory: the address sanitizer sees the rest.
TEST(EpilogueNodes, ReadsNothingOutside) {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    const int rows = 1 + static_cast<int>(random() % 40);
    const int columns = 1 + static_cast<int>(random() % 40);
    const auto accumulators = random_accumulators(random, 1, rows, columns);
    const std::vector<float> source(static_cast<std::size_t>(rows * columns), 2);
    const std::vector<float> bias(static_cast<std::size_t>(columns), 3);
    const std::vector<float> scale(static_cast<std::size_t>(rows), 4);
    using Tree =
        Multiply<Add<Source<Element::f32>, ColumnVector<Element::f32>>, RowVector<Element::f32>>;
    const Tree::Params params{.left = {.left = {.data = source.data(), .stride = columns},
                                       .right = {.data = bias.data()}},
                              .right = {.data = scale.data()}};
    expect_tree<Tree>(params, accumulators, [](int, int, int) { return 20.0; });
  }
}

TEST(EpilogueNodes, ScalarByValueOrFromMemory) {
  std::mt19937 random(6);
  const auto accumulators = random_accumulators(random, 1, 20, 12);
  const float scale = -0.375f;
  using Tree = Scaled<Accumulator>;
  expect_tree<Tree>({.right = {.value = 3}}, accumulators,
                    [&](int b, int r, int c) { return 3.0 * accumulators.at(b, r, c); });
  expect_tree<Tree>({.right = {.value = 3, .pointer = &scale}}, accumulators,
                    [&](int b, int r, int c) { return -0.375 * accumulators.at(b, r, c); });
}

TEST(EpilogueNodes, LinearReadsTheSourceOnlyWhereBetaIsNotZero) {
  std::mt19937 random(7);
  const auto accumulators = random_accumulators(random, 2, 21, 13);
  expect_tree<Linear<Element::bf16>>(
      {.alpha = {.value = 0.5f}}, accumulators,
      [&](int b, int r, int c) { return 0.5 * accumulators.at(b, r, c); });
  Guarded<Element::bf16> source(2, 21, 13, 1);
  source.fill(random);
  const float beta = 0.25f;
  const Linear<Element::bf16>::Params params{
      .alpha = {.value = 2},
      .beta = {.pointer = &beta},
      .source = {
          .data = source.data(), .stride = source.stride, .batch_stride = source.batch_stride()}};
  expect_tree<Linear<Element::bf16>>(params, accumulators, [&](int b, int r, int c) {
    return 2.0 * accumulators.at(b, r, c) + 0.25 * source.value(b, r, c);
  });
}

double rounded_to_element(Element element, double value) {
  switch (element) {
    case Element::bf16:
      return base::rounded_to<base::bf16>(value);
    case Element::f16:
      return base::rounded_to<base::f16>(value);
    case Element::e4m3:
      return base::rounded_to<base::e4m3>(value);
    case Element::e5m2:
      return base::rounded_to<base::e5m2>(value);
    case Element::s8:
    case Element::s32:
      return std::nearbyint(value);
    default:
      return value;
  }
}

template <Element element>
void check_aux_store() {
  std::mt19937 random(8);
  for (const Size& size : sizes) {
    const auto [batches, rows, columns, padding, shift] = size;
    const auto accumulators = random_accumulators(random, batches, rows, columns);
    Guarded<element> aux(batches, rows, columns, padding, shift);
    using Tree = Relu<AuxStore<element, Scaled<Accumulator>>>;
    const typename Tree::Params params{.of = {.of = {.right = {.value = 2}},
                                              .data = aux.data(),
                                              .stride = aux.stride,
                                              .batch_stride = aux.batch_stride()}};
    expect_tree<Tree>(params, accumulators, [&](int b, int r, int c) {
      return std::max(0.0, 2.0 * accumulators.at(b, r, c));
    });
    aux.expect_canaries();
    for (int b = 0; b < batches; ++b)
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c)
          ASSERT_EQ(aux.value(b, r, c),
                    rounded_to_element(element, 2.0 * accumulators.at(b, r, c)));
  }
}

TEST(EpilogueNodes, AuxStoreWritesItsMatrixAndNothingElse) {
  check_aux_store<Element::f32>();
  check_aux_store<Element::bf16>();
  check_aux_store<Element::f16>();
  check_aux_store<Element::e4m3>();
  check_aux_store<Element::e5m2>();
  check_aux_store<Element::s8>();
  check_aux_store<Element::s32>();
}

TEST(EpilogueNodes, AuxStoreKeepsIntegerSumsExact) {
  std::mt19937 random(9);
  AccumulatorMatrix<std::int32_t> accumulators{1, 18, 11, {}};
  accumulators.values.resize(18 * 11);
  for (auto& value : accumulators.values) value = static_cast<std::int32_t>(random());
  Guarded<Element::s32> aux(1, 18, 11, 1);
  using Tree = AuxStore<Element::s32, Accumulator>;
  visit_all<Tree>({.data = aux.data(), .stride = aux.stride}, accumulators,
                  [](OutputCoord, const auto&) {});
  aux.expect_canaries();
  for (int r = 0; r < 18; ++r)
    for (int c = 0; c < 11; ++c)
      ASSERT_EQ(static_cast<std::int32_t>(aux.code(0, r, c)), accumulators.at(0, r, c));
}

TEST(EpilogueNodes, AmaxIsTheLargestMagnitudeInside) {
  std::mt19937 random(10);
  for (const Size& size : sizes) {
    const auto accumulators = random_accumulators(random, size.batches, size.rows, size.columns);
    double want = 0;
    for (const float value : accumulators.values) want = std::max(want, std::abs(2.0 * value));
    float largest = 0;
    const Amax<Scaled<Accumulator>>::Params params{.of = {.right = {.value = 2}},
                                                   .largest = &largest};
    expect_tree<Amax<Scaled<Accumulator>>>(
        params, accumulators, [&](int b, int r, int c) { return 2.0 * accumulators.at(b, r, c); });
    EXPECT_EQ(largest, want);
  }
}

TEST(EpilogueNodes, AmaxShowsNanAndKeepsWhatWasThere) {
  std::mt19937 random(11);
  auto accumulators = random_accumulators(random, 1, 18, 9);
  float largest = 1000;
  const Amax<Accumulator>::Params params{.largest = &largest};
  visit_all<Amax<Accumulator>>(params, accumulators, [](OutputCoord, const auto&) {});
  EXPECT_EQ(largest, 1000.0f);
  accumulators.values[40] = -NAN;
  visit_all<Amax<Accumulator>>(params, accumulators, [](OutputCoord, const auto&) {});
  EXPECT_TRUE(std::isnan(largest));
}

// Each row has its own maximum, of a batch in its own vector; what is in neighbours' places stays.
TEST(EpilogueNodes, RowAmaxIsTheLargestMagnitudeOfEachRow) {
  std::mt19937 random(13);
  for (const Size& size : sizes) {
    const auto accumulators = random_accumulators(random, size.batches, size.rows, size.columns);
    const int stride = size.rows + 3;
    std::vector<float> largest(static_cast<std::size_t>(size.batches * stride), -1);
    for (int b = 0; b < size.batches; ++b)
      std::fill_n(largest.begin() + b * stride, size.rows, 0.0f);
    using Tree = RowAmax<Scaled<Accumulator>>;
    expect_tree<Tree>(
        {.of = {.right = {.value = -2}}, .largest = largest.data(), .batch_stride = stride},
        accumulators, [&](int b, int r, int c) { return -2.0 * accumulators.at(b, r, c); });
    for (int b = 0; b < size.batches; ++b)
      for (int r = 0; r < stride; ++r) {
        double want = r < size.rows ? 0 : -1;
        for (int c = 0; r < size.rows && c < size.columns; ++c)
          want = std::max(want, std::abs(2.0 * accumulators.at(b, r, c)));
        EXPECT_EQ(largest[static_cast<std::size_t>(b * stride + r)], want) << b << ", " << r;
      }
  }
}

TEST(EpilogueNodes, RowAmaxShowsNanInItsRowOnly) {
  std::mt19937 random(14);
  auto accumulators = random_accumulators(random, 1, 18, 9);
  accumulators.values[9 * 12 + 4] = -NAN;
  std::vector<float> largest(18, 0.0f);
  visit_all<RowAmax<Accumulator>>({.largest = largest.data()}, accumulators,
                                  [](OutputCoord, const auto&) {});
  for (std::size_t row = 0; row < largest.size(); ++row)
    EXPECT_EQ(std::isnan(largest[row]), row == 12) << row;
}

// The whole chain of an fp8 layer: activation(alpha A B + beta C + bias), its amax, the value
// before it stored beside, and the scaled result saturated to e4m3.
TEST(EpilogueNodes, QuantisedLayer) {
  std::mt19937 random(12);
  const int batches = 2, rows = 35, columns = 22;
  const auto accumulators = random_accumulators(random, batches, rows, columns);
  Guarded<Element::bf16> source(batches, rows, columns, 0), aux(batches, rows, columns, 4);
  Guarded<Element::bf16> bias(1, 1, columns, 0);
  Guarded<Element::e4m3> out(batches, rows, columns, 2);
  source.fill(random);
  bias.fill(random);
  float largest = 0;
  const float scale = 100;
  using Before = AuxStore<Element::bf16, Linear<Element::bf16>>;
  using Tree = Scaled<Amax<BiasActivation<Silu, Element::bf16, Before>>>;
  Tree::Params params{};
  auto& before = params.left.of.of.left;
  before = {.of = {.alpha = {.value = 0.5f},
                   .beta = {.value = 2},
                   .source = {source.data(), source.stride, source.batch_stride()}},
            .data = aux.data(),
            .stride = aux.stride,
            .batch_stride = aux.batch_stride()};
  params.left.of.of.right = {.data = bias.data()};
  params.left.largest = &largest;
  params.right = {.pointer = &scale};
  visit_all<Tree>(params, accumulators,
                  [&](OutputCoord coord, const EpilogueFragment<float>& fragment) {
                    store_fragment<Element::e4m3>(out.data(), out.stride, out.batch_stride(),
                                                  fragment, coord, {rows, columns});
                  });
  aux.expect_canaries();
  out.expect_canaries();
  double want_largest = 0;
  for (int b = 0; b < batches; ++b)
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) {
        const double linear = 0.5 * accumulators.at(b, r, c) + 2 * source.value(b, r, c);
        const double x = linear + bias.value(0, 0, c);
        const double active = x / (1 + std::exp(-x));
        want_largest = std::max(want_largest, std::abs(active));
        EXPECT_NEAR(aux.value(b, r, c), linear, 0x1p-8 * std::abs(linear) + 1e-6);
        const double scaled = std::clamp(100 * active, -448.0, 448.0);
        EXPECT_NEAR(out.value(b, r, c), scaled, 0x1p-4 * std::abs(scaled) * 1.001 + 0x1p-10);
      }
  EXPECT_NEAR(largest, want_largest, 1e-5);
  EXPECT_GT(largest, 4.48) << "some elements saturate";
}

}  // namespace
