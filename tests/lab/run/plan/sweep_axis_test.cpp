#include "lab/run/plan/sweep_axis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refuse.hpp"

namespace aisp::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const std::vector<std::string>& texts) {
  try {
    parse_axes(texts);
  } catch (const base::Refusal& refusal) {
    EXPECT_EQ(refusal.exit(), base::Exit::usage);
    return refusal.what();
  }
  return "accepted";
}

TEST(SweepAxis, RangesMultiplyOrAddUpToTheLast) {
  const auto doubling = parse_axis("S=512:32768:x2");
  EXPECT_EQ(doubling.name, "S");
  EXPECT_TRUE(doubling.geometric);
  EXPECT_THAT(doubling.values, ElementsAre(512, 1024, 2048, 4096, 8192, 16384, 32768));
  EXPECT_THAT(parse_axis("S=3:80:x3").values, ElementsAre(3, 9, 27));
  const auto adding = parse_axis("N=64:200:+64");
  EXPECT_FALSE(adding.geometric);
  EXPECT_THAT(adding.values, ElementsAre(64, 128, 192));
  EXPECT_THAT(parse_axis("N=7:7:+1").values, ElementsAre(7));
  // The next value would not fit 64 bits.
  EXPECT_EQ(parse_axis("N=4611686018427387904:9223372036854775807:x2").values.size(), 1u);
  EXPECT_EQ(parse_axis("N=9223372036854775800:9223372036854775807:+7").values.size(), 2u);
}

TEST(SweepAxis, ListsAreSortedAndMayBeGeometric) {
  EXPECT_THAT(parse_axis("D=128,64").values, ElementsAre(64, 128));
  EXPECT_FALSE(parse_axis("D=64,128").geometric);
  EXPECT_TRUE(parse_axis("D=256,64,128").geometric);
  EXPECT_FALSE(parse_axis("D=64,96,128").geometric);
  EXPECT_THAT(parse_axis("heads=16").values, ElementsAre(16));
}

TEST(SweepAxis, RefusesWhatIsNone) {
  for (const char* text : {"S", "=1,2", "S=", ""})
    EXPECT_THAT(refusal({text}), HasSubstr("an axis is a name and values")) << text;
  for (const char* text : {"S=1:2", "S=1:2:2", "S=1:2:x", "S=1:2:*2", "S=1:2:x2:3", "S=1::"})
    EXPECT_THAT(refusal({text}), HasSubstr("a range is first:last:xFACTOR")) << text;
  for (const char* text :
       {"S=a,b", "S=1,,2", "S=1:b:x2", "S=1:2:xx", "S=1:2:x2.5", "S=99999999999999999999", ":S=x"})
    EXPECT_THAT(refusal({text}), HasSubstr("is not a whole number")) << text;
  EXPECT_EQ(refusal({"S=64,0"}), "--axis 'S=64,0': 0 must be at least 1");
  EXPECT_THAT(refusal({"S=-4:4:+1"}), HasSubstr("-4 must be at least 1"));
  EXPECT_THAT(refusal({"S=1:9:+0"}), HasSubstr("0 must be at least 1"));
  EXPECT_EQ(refusal({"S=1:9:x1"}), "--axis 'S=1:9:x1': a factor of 1 stays at 1");
  EXPECT_EQ(refusal({"S=9:1:x2"}), "--axis 'S=9:1:x2': nothing lies between 9 and 1");
  EXPECT_EQ(refusal({"S=8,16,8"}), "--axis 'S=8,16,8': 8 is there twice");
}

TEST(SweepAxis, RefusesTooFewAndTooManyPoints) {
  EXPECT_THAT(refusal({}), HasSubstr("a sweep needs an --axis"));
  EXPECT_EQ(refusal({"S=1:4:x2", "S=1"}), "--axis 'S=1': S was given before");
  EXPECT_EQ(refusal({"S=1:512:+1"}), "accepted");
  EXPECT_THAT(refusal({"S=1:513:+1"}), HasSubstr("more than 512 values"));
  EXPECT_THAT(refusal({"S=1:9223372036854775807:+1"}), HasSubstr("more than 512 values"));
  EXPECT_EQ(refusal({"S=1:32:+1", "D=1:16:+1"}), "accepted");
  EXPECT_EQ(refusal({"S=1:32:+1", "D=1:17:+1"}),
            "a sweep takes at most 512 points; these axes have 32 x 17");
}

TEST(SweepAxis, TheProductHasEveryCombinationOnce) {
  EXPECT_THAT(product_of(parse_axes({"S=1,2,3", "D=8,9"})),
              ElementsAre(ElementsAre(1, 8), ElementsAre(1, 9), ElementsAre(2, 8),
                          ElementsAre(2, 9), ElementsAre(3, 8), ElementsAre(3, 9)));
}

}  // namespace
}  // namespace aisp::lab
