// Narrow floats and block scales against the toolkit's conversions, for every code, and against
// exact arithmetic at every place where rounding turns.
#include "tile/atom/quantize.hpp"

#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

using namespace aisp;

namespace {

using tile::Element;
using tile::Scaling;

constexpr Element elements[] = {Element::e2m1, Element::e2m3, Element::e3m2, Element::e4m3,
                                Element::e5m2};

float toolkit_decode(Element element, unsigned code) {
  const auto byte = static_cast<unsigned char>(code);
  switch (element) {
    case Element::e2m1:
      return __half2float(__half(__nv_cvt_fp4_to_halfraw(byte, __NV_E2M1)));
    case Element::e2m3:
      return __half2float(__half(__nv_cvt_fp6_to_halfraw(byte, __NV_E2M3)));
    case Element::e3m2:
      return __half2float(__half(__nv_cvt_fp6_to_halfraw(byte, __NV_E3M2)));
    case Element::e5m2:
      return __half2float(__half(__nv_cvt_fp8_to_halfraw(byte, __NV_E5M2)));
    default:
      return __half2float(__half(__nv_cvt_fp8_to_halfraw(byte, __NV_E4M3)));
  }
}
unsigned toolkit_encode(Element element, float value) {
  switch (element) {
    case Element::e2m1:
      return __nv_cvt_float_to_fp4(value, __NV_E2M1, cudaRoundNearest);
    case Element::e2m3:
      return __nv_cvt_float_to_fp6(value, __NV_E2M3, cudaRoundNearest);
    case Element::e3m2:
      return __nv_cvt_float_to_fp6(value, __NV_E3M2, cudaRoundNearest);
    case Element::e5m2:
      return __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E5M2);
    default:
      return __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3);
  }
}

unsigned codes_of(Element element) { return 1u << tile::bits_of(element); }
unsigned encode(Element element, float value) {
  return tile::encode_small(tile::small_float(element), value);
}
float decode(Element element, unsigned code) {
  return tile::decode_small(tile::small_float(element), code);
}

// A number, those next to it, and their negatives.
template <class Body>
void around(float value, Body body) {
  for (const float one : {value, std::nextafter(value, 0.0f), std::nextafter(value, INFINITY)}) {
    body(one);
    body(-one);
  }
}

// The codes on both sides of x / by: the nearer one, of equals the even one. Differences of floats
// by products of so few bits are exact in double.
unsigned nearest(Element element, float x, double by) {
  const auto f = tile::small_float(element);
  const double magnitude = std::abs(static_cast<double>(x));
  unsigned best = 0;
  for (unsigned code = 1; code <= static_cast<unsigned>(f.largest_code); ++code) {
    const double now = std::abs(magnitude - decode(element, code) * by);
    const double before = std::abs(magnitude - decode(element, best) * by);
    if (now < before || (now == before && code % 2 == 0)) best = code;
  }
  return std::signbit(x) ? best | 1u << (f.bits() - 1) : best;
}

TEST(Quantize, EveryCodeIsTheToolkitsNumber) {
  for (const Element element : elements)
    for (unsigned code = 0; code < codes_of(element); ++code) {
      const float got = decode(element, code), want = toolkit_decode(element, code);
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(got)) << name_of(element) << ' ' << code;
        continue;
      }
      EXPECT_EQ(got, want) << name_of(element) << ' ' << code;
      EXPECT_EQ(std::signbit(got), std::signbit(want)) << name_of(element) << ' ' << code;
      if (std::isfinite(want)) {
        EXPECT_EQ(encode(element, got), code) << name_of(element);
      }
    }
}

TEST(Quantize, RoundsAsTheToolkitDoes) {
  for (const Element element : elements) {
    const auto most = static_cast<unsigned>(tile::small_float(element).largest_code);
    for (unsigned code = 0; code < most; ++code) {
      const float middle = (decode(element, code) + decode(element, code + 1)) / 2;
      around(middle, [&](float value) {
        EXPECT_EQ(encode(element, value), toolkit_encode(element, value))
            << name_of(element) << ' ' << value;
      });
    }
    for (const float value : {1e30f, -1e30f, INFINITY, -INFINITY, 0x1p-149f, 0.0f, -0.0f, NAN})
      EXPECT_EQ(encode(element, value), toolkit_encode(element, value))
          << name_of(element) << ' ' << value;
  }
}

TEST(Quantize, ElementsAreNearestForEveryScale) {
  for (unsigned code = 1; code < 0x7F; ++code) {
    const float scale = tile::scale_value(Scaling::nv, static_cast<std::uint8_t>(code));
    for (unsigned low = 0; low < 7; ++low) {
      const double middle =
          (decode(Element::e2m1, low) + decode(Element::e2m1, low + 1)) / 2.0 * scale;
      around(static_cast<float>(middle), [&](float value) {
        ASSERT_EQ(tile::quantized(Element::e2m1, value, scale, 1.0f),
                  nearest(Element::e2m1, value, scale))
            << value << " with scale " << scale;
      });
    }
  }
}

// With a factor of the matrix the divisor is their product as a float; rounding twice would go
// wrong here and there.
TEST(Quantize, ElementsAreNearestWithAFactorOfTheMatrix) {
  std::uint32_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 1664525u + 1013904223u;
    const float of_matrix = 0x1p-10f * (1 + static_cast<float>(state >> 9) * 0x1p-23f);
    const float by = tile::scale_value(Scaling::nv, 0x3B) * of_matrix;
    for (unsigned low = 0; low < 7; ++low) {
      const double middle =
          (decode(Element::e2m1, low) + decode(Element::e2m1, low + 1)) / 2.0 * by;
      around(static_cast<float>(middle), [&](float value) {
        ASSERT_EQ(
            tile::quantized(Element::e2m1, value, tile::scale_value(Scaling::nv, 0x3B), of_matrix),
            nearest(Element::e2m1, value, by))
            << value << " by " << by;
      });
    }
  }
}

TEST(Quantize, NvScalesAreNearestToASixthOfTheLargest) {
  for (unsigned low = 0; low < 0x7E; ++low) {
    const double middle = (decode(Element::e4m3, low) + decode(Element::e4m3, low + 1)) / 2.0 * 6.0;
    around(static_cast<float>(middle), [&](float value) {
      if (value < 0) return;
      EXPECT_EQ(tile::scale_code(Scaling::nv, Element::e2m1, value, 1.0f),
                nearest(Element::e4m3, value, 6.0))
          << value;
    });
  }
  EXPECT_EQ(tile::scale_code(Scaling::nv, Element::e2m1, 1e30f, 1.0f), 0x7E);
}

TEST(Quantize, MxScalesAreTheSmallestThatHoldTheLargest) {
  for (const Element element : elements) {
    const double most = tile::largest_of(element);
    for (int exponent = -149; exponent <= 127; ++exponent)
      for (const double fraction : {1.0, most / std::exp2(std::floor(std::log2(most))), 1.99}) {
        around(static_cast<float>(std::ldexp(fraction, exponent)), [&](float value) {
          if (value <= 0 || !std::isfinite(value)) return;
          const auto code = tile::scale_code(Scaling::mx, element, value, 1.0f);
          EXPECT_LE(value, most * std::ldexp(1.0, code - 127)) << name_of(element) << ' ' << value;
          if (code > 0) {
            EXPECT_GT(value, most * std::ldexp(1.0, code - 128))
                << name_of(element) << ' ' << value;
          }
          EXPECT_EQ(tile::scale_value(Scaling::mx, code), std::ldexp(1.0f, code - 127));
        });
      }
  }
}

TEST(Quantize, BlocksWithoutANumberSayIt) {
  for (const float value : {NAN, INFINITY}) {
    EXPECT_EQ(tile::scale_code(Scaling::nv, Element::e2m1, value, 1.0f), 0x7F);
    EXPECT_EQ(tile::scale_code(Scaling::mx, Element::e4m3, value, 1.0f), 0xFF);
  }
  EXPECT_TRUE(std::isnan(tile::scale_value(Scaling::nv, 0x7F)));
  EXPECT_TRUE(std::isnan(tile::scale_value(Scaling::mx, 0xFF)));
  EXPECT_EQ(tile::quantized(Element::e2m1, 5.0f, 0.0f, 1.0f), 0);
}

TEST(BlockScales, EveryScaleHasAByteOfItsOwn) {
  for (const Scaling scaling : {Scaling::nv, Scaling::mx}) {
    const tile::ScaleExtent extent{300, 500, scaling};
    const tile::Layout layout = extent.layout();
    std::set<std::int64_t> taken;
    for (int row = 0; row < extent.row_blocks() * tile::scale_rows; ++row)
      for (int scale = 0; scale < extent.groups() * tile::scales_in_group; ++scale) {
        EXPECT_EQ(layout(row, scale), extent.offset(row, scale));
        EXPECT_LT(extent.offset(row, scale), extent.bytes());
        EXPECT_TRUE(taken.insert(extent.offset(row, scale)).second) << row << ' ' << scale;
      }
    EXPECT_EQ(static_cast<std::int64_t>(taken.size()), extent.bytes());
  }
}

// The bytes of cuBLASLt's and CUTLASS's 128 x 4 blocks.
TEST(BlockScales, LieAsLibrariesHaveThem) {
  const tile::ScaleExtent extent{256, 256, Scaling::nv};  // 16 scales in a row: 4 groups
  EXPECT_EQ(extent.offset(0, 3), 3);
  EXPECT_EQ(extent.offset(1, 0), 16);
  EXPECT_EQ(extent.offset(32, 0), 4);
  EXPECT_EQ(extent.offset(127, 3), 511);
  EXPECT_EQ(extent.offset(0, 4), 512);
  EXPECT_EQ(extent.offset(128, 0), 4 * 512);
}

}  // namespace
