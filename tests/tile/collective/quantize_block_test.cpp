// What a matrix loses in each format with block scales, and what a product of two of them does:
// docs/block_scales.md has the numbers that this prints with AISP_PRINT=1.
#include "tile/collective/quantize_block.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

using namespace aisp;

namespace {

using tile::Element;
using tile::Scaling;

struct Quantized {
  std::vector<std::uint8_t> codes, scales;
  std::vector<double> numbers;
};

unsigned code_at(const std::vector<std::uint8_t>& codes, std::size_t first, int bits) {
  unsigned word = codes[first / 8];
  if (first / 8 + 1 < codes.size()) word |= static_cast<unsigned>(codes[first / 8 + 1]) << 8;
  return word >> first % 8 & ((1u << bits) - 1);
}

Quantized quantized(const std::vector<float>& from, int rows, int k, Element element,
                    Scaling scaling) {
  float largest = 0;
  for (const float value : from) largest = std::max(largest, std::abs(value));
  const int bits = tile::bits_of(element);
  const tile::ScaleExtent extent{rows, k, scaling};
  Quantized made;
  made.codes.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(k * bits) / 8, 0xFF);
  made.scales.assign(static_cast<std::size_t>(extent.bytes()), 0xEE);
  const tile::QuantizeParams params{.from = from.data(),
                                    .from_stride = k,
                                    .codes = made.codes.data(),
                                    .stride = k,
                                    .element = element,
                                    .scales = made.scales.data(),
                                    .extent = extent,
                                    .matrix_scale = tile::matrix_scale(scaling, element, largest)};
  for (std::int64_t row = 0; row < params.rows(); ++row)
    for (std::int64_t block = 0; block < params.blocks(); ++block)
      tile::quantize_block<Element::f32>(params, row, block);
  for (int row = 0; row < rows; ++row)
    for (int at = 0; at < k; ++at) {
      const auto index = static_cast<std::size_t>(row * k + at);
      const auto place = extent.offset(row, at / tile::scaled_together(scaling));
      const double scale = tile::scale_value(scaling, made.scales[static_cast<std::size_t>(place)]);
      made.numbers.push_back(
          tile::decode_small(tile::small_float(element),
                             code_at(made.codes, index * static_cast<std::size_t>(bits), bits)) *
          scale * params.matrix_scale);
    }
  return made;
}

double relative_error(const std::vector<double>& got, const std::vector<double>& want) {
  double error = 0, size = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    error += (got[i] - want[i]) * (got[i] - want[i]);
    size += want[i] * want[i];
  }
  return std::sqrt(error / size);
}

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b, int m,
                            int n, int k) {
  std::vector<double> c;
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      double sum = 0;
      for (int i = 0; i < k; ++i)
        sum +=
            a[static_cast<std::size_t>(row * k + i)] * b[static_cast<std::size_t>(column * k + i)];
      c.push_back(sum);
    }
  return c;
}

struct Loss {
  double matrix, product;
};
Loss loss(Element element, Scaling scaling) {
  constexpr int m = 48, n = 40, k = 512;
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> a(m * k), b(n * k);
  for (float& value : a) value = normal(random);
  for (float& value : b) value = normal(random);
  const std::vector<double> a_right(a.begin(), a.end()), b_right(b.begin(), b.end());
  const Quantized qa = quantized(a, m, k, element, scaling);
  const Quantized qb = quantized(b, n, k, element, scaling);
  return {
      relative_error(qa.numbers, a_right),
      relative_error(product(qa.numbers, qb.numbers, m, n, k), product(a_right, b_right, m, n, k))};
}

// Root mean squares of the error over that of normally distributed numbers. The bounds are what a
// rounding of so many bits does to numbers between two powers of two, and half of it: a block whose
// scale, elements or layout are wrong is far outside.
TEST(QuantizeBlock, LossIsThatOfTheFormat) {
  const struct {
    const char* name;
    Element element;
    Scaling scaling;
    double least, most;
  } formats[] = {{"NVFP4", Element::e2m1, Scaling::nv, 0.06, 0.12},
                 {"MXFP4", Element::e2m1, Scaling::mx, 0.08, 0.16},
                 {"MXFP6 e2m3", Element::e2m3, Scaling::mx, 0.02, 0.04},
                 {"MXFP6 e3m2", Element::e3m2, Scaling::mx, 0.035, 0.07},
                 {"MXFP8 e4m3", Element::e4m3, Scaling::mx, 0.015, 0.04},
                 {"MXFP8 e5m2", Element::e5m2, Scaling::mx, 0.035, 0.07}};
  for (const auto& format : formats) {
    const Loss lost = loss(format.element, format.scaling);
    if (std::getenv("AISP_PRINT") != nullptr)
      std::printf("| %s | %.1f %% | %.1f %% |\n", format.name, 100 * lost.matrix,
                  100 * lost.product);
    EXPECT_GT(lost.matrix, format.least) << format.name;
    EXPECT_LT(lost.matrix, format.most) << format.name;
    // Both operands lose as much, and independently.
    EXPECT_NEAR(lost.product, std::sqrt(2.0) * lost.matrix, 0.25 * lost.matrix) << format.name;
  }
}

TEST(QuantizeBlock, WhatPadsTheScalesIsZero) {
  const int rows = 3, k = 40;
  const std::vector<float> from(static_cast<std::size_t>(rows * k), 1.0f);
  const Quantized made = quantized(from, rows, k, Element::e2m1, Scaling::nv);
  const tile::ScaleExtent extent{rows, k, Scaling::nv};
  for (int row = 0; row < 128; ++row)
    for (int scale = 0; scale < 4; ++scale) {
      const auto code = made.scales[static_cast<std::size_t>(extent.offset(row, scale))];
      EXPECT_EQ(code != 0, row < rows && scale < 3) << row << ' ' << scale << ": " << int{code};
    }
}

}  // namespace
