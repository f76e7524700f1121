// Every code of every narrow element keeps its value in the format it is converted to.
#include "tile/atom/widen.hpp"

#include <gtest/gtest.h>

#include <cmath>

using namespace aisp;

namespace {

using tile::Element;
using tile::meeting_element;

template <Element element>
double value_of(tile::Code<element> code) {
  if constexpr (element == Element::s8)
    return static_cast<std::int8_t>(code);
  else
    return base::decode<tile::detail::format_of<element>()>(code);
}

template <Element from, Element to>
void expect_exact() {
  for (unsigned code = 0; code < 1u << 8 * bytes_of(from); ++code) {
    const auto narrow = static_cast<tile::Code<from>>(code);
    const double want = value_of<from>(narrow), got = value_of<to>(tile::widen<from, to>(narrow));
    if (std::isnan(want))
      ASSERT_TRUE(std::isnan(got)) << code;
    else
      ASSERT_TRUE(want == got && std::signbit(want) == std::signbit(got))
          << code << ": " << want << " became " << got;
  }
}

TEST(Widen, Fp8IsF16) {
  expect_exact<Element::e4m3, Element::f16>();
  expect_exact<Element::e5m2, Element::f16>();
}
TEST(Widen, EightBitsAreBf16) {
  expect_exact<Element::e4m3, Element::bf16>();
  expect_exact<Element::e5m2, Element::bf16>();
  expect_exact<Element::s8, Element::bf16>();
}
TEST(Widen, IntegersAreF16) { expect_exact<Element::s8, Element::f16>(); }
TEST(Widen, AllAreF32) {
  expect_exact<Element::e4m3, Element::f32>();
  expect_exact<Element::e5m2, Element::f32>();
  expect_exact<Element::s8, Element::f32>();
  expect_exact<Element::bf16, Element::f32>();
  expect_exact<Element::f16, Element::f32>();
}

TEST(MeetingElement, HoldsBothExactly) {
  EXPECT_EQ(meeting_element(Element::bf16, Element::bf16), Element::bf16);
  EXPECT_EQ(meeting_element(Element::e4m3, Element::e4m3), Element::f16);
  EXPECT_EQ(meeting_element(Element::e4m3, Element::e5m2), Element::f16);
  EXPECT_EQ(meeting_element(Element::s8, Element::s8), Element::s8);
  EXPECT_EQ(meeting_element(Element::s8, Element::e5m2), Element::f16);
  EXPECT_EQ(meeting_element(Element::e4m3, Element::bf16), Element::bf16);
  EXPECT_EQ(meeting_element(Element::f16, Element::s8), Element::f16);
  EXPECT_EQ(meeting_element(Element::bf16, Element::f16), Element::f32);
  EXPECT_EQ(meeting_element(Element::tf32, Element::tf32), Element::tf32);
}

}  // namespace
