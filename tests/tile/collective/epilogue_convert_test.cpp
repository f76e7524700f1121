#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tile/atom/convert.hpp"

using namespace aisp;

namespace {

using namespace tile;

static_assert(sizeof(PairCode<Element::bf16>) == 4 && sizeof(PairCode<Element::e4m3>) == 2);
static_assert(join<Element::bf16>(0x1234, 0xABCD) == 0xABCD1234u, "the first is in the low bits");
static_assert(join<Element::f32>(1u, 2u) == 0x0000000200000001u);

template <Element element>
double round_trip(float value) {
  const Pair<float> pair = decode_pair<element>(encode_pair<element>(value, -1.0f));
  EXPECT_EQ(pair.second, -1.0f);
  return pair.first;
}

TEST(Convert, RoundsToNearestEven) {
  EXPECT_EQ(round_trip<Element::bf16>(1 + 0x1p-8f), 1.0);
  EXPECT_EQ(round_trip<Element::bf16>(1 + 0x3p-8f), 1 + 0x1p-6);
  EXPECT_EQ(round_trip<Element::f16>(1 + 0x3p-11f), 1 + 0x1p-9);
  EXPECT_EQ(round_trip<Element::e4m3>(17), 16.0);
  EXPECT_EQ(round_trip<Element::e5m2>(7), 7.0);
  EXPECT_EQ(round_trip<Element::s8>(2.5f), 2.0);
  EXPECT_EQ(round_trip<Element::s32>(-3.5f), -4.0);
  EXPECT_EQ(round_trip<Element::f32>(0.1f), 0.1f);
}

TEST(Convert, SaturatesOrGoesToInfinity) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float large : {1e30f, infinity}) {
    EXPECT_EQ(round_trip<Element::e4m3>(large), 448.0);
    EXPECT_EQ(round_trip<Element::e5m2>(-large), -57344.0);
    EXPECT_EQ(round_trip<Element::s8>(large), 127.0);
    EXPECT_EQ(round_trip<Element::s8>(-large), -128.0);
    EXPECT_EQ(round_trip<Element::f16>(large), infinity);
  }
  EXPECT_EQ(encode_pair<Element::s32>(1e30f, -1e30f), join<Element::s32>(0x7FFFFFFF, 0x80000000));
  EXPECT_EQ(encode_pair<Element::s8>(300, -300), join<Element::s8>(0x7F, 0x80));
}

TEST(Convert, NanStaysNanAndIsZeroAsAnInteger) {
  EXPECT_TRUE(std::isnan(round_trip<Element::bf16>(NAN)));
  EXPECT_TRUE(std::isnan(round_trip<Element::f16>(NAN)));
  EXPECT_TRUE(std::isnan(round_trip<Element::e4m3>(NAN)));
  EXPECT_TRUE(std::isnan(round_trip<Element::e5m2>(NAN)));
  EXPECT_EQ(round_trip<Element::s8>(NAN), 0.0);
  EXPECT_EQ(round_trip<Element::s32>(NAN), 0.0);
}

TEST(Convert, IntegersStayExact) {
  EXPECT_EQ(encode_pair<Element::s32>(16777217, -1), join<Element::s32>(16777217u, ~0u));
}

// Every code of a narrow format is a number that converts back to it.
template <Element element>
void check_all_codes() {
  for (unsigned code = 0; code < 1u << 8 * bytes_of(element); ++code) {
    const auto one = static_cast<Code<element>>(code);
    const Pair<float> pair = decode_pair<element>(join<element>(one, 0));
    if (std::isnan(pair.first) || std::isinf(pair.first)) continue;
    ASSERT_EQ(encode_pair<element>(pair.first, 0.0f), join<element>(one, 0)) << code;
  }
}

TEST(Convert, EveryCodeComesBack) {
  check_all_codes<Element::bf16>();
  check_all_codes<Element::f16>();
  check_all_codes<Element::e4m3>();
  check_all_codes<Element::e5m2>();
  check_all_codes<Element::s8>();
}

}  // namespace
