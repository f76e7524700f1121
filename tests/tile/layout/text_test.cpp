// Layouts as text: both ways, and where a reader stumbles.
#include "tile/layout/text.hpp"

#include <gtest/gtest.h>

#include "tests/tile/layout/generator.hpp"

namespace aisp::tile {
namespace {

static_assert("(_,(1,_))"_tuple == Tuple{free_mode, {1, free_mode}});
static_assert("8"_layout == Layout{8, 1} && "(8)"_layout == Layout{{8}, {1}});
static_assert("(4,(2,3))"_layout == column_major({4, {2, 3}}), "a shape alone is column major");
static_assert("Sw<3,4,3>o16o(8,64):(64,1)"_swizzled ==
              Swizzled{Swizzle{3, 4, 3}, 16, row_major({8, 64})});
static_assert("Sw<3,4,3>o8:1"_swizzled == Swizzled{Swizzle{3, 4, 3}, 0, Layout{8, 1}});

TEST(Text, WhatIsWrittenIsRead) {
  LayoutGenerator random(1);
  for (int round = 0; round < 2000; ++round) {
    const Layout layout = random.any();
    ASSERT_EQ(parse_layout(to_text(layout)), layout) << to_text(layout);
    const Swizzled composed{Swizzle{random.below(3), random.below(5), 3}, random.below(2) * 12,
                            layout};
    const bool plain = composed.swizzle.bits == 0 && composed.offset == 0;
    const Swizzled want = plain ? Swizzled{{}, 0, layout} : composed;
    ASSERT_EQ(parse_swizzled(to_text(composed)), want) << to_text(composed);
  }
}

TEST(Text, BlanksDoNotMatter) {
  EXPECT_EQ(parse_layout(" ( 4 , (2,2) ) : ( 2,(1, 8)) "), "(4,(2,2)):(2,(1,8))"_layout);
  EXPECT_EQ(to_text(parse_swizzled("Sw<3, 4, 3> o (8,64):(64,1)")), "Sw<3,4,3>o(8,64):(64,1)");
}

struct Wrong {
  const char* text;
  int position;
  const char* complaint;
};

TEST(Text, ComplaintsSayWhereAndWhat) {
  for (const Wrong& wrong : {
           Wrong{"", 0, "a number is missing here"},
           Wrong{"(4,", 3, "a number is missing here"},
           Wrong{"(4,(2,2):1", 8, "',' or ')' is missing here"},
           Wrong{"(4,2)x", 5, "nothing more can follow here"},
           Wrong{"4:", 2, "a number is missing here"},
           Wrong{"()", 1, "a number is missing here"},
           Wrong{"99999999999", 10, "does not fit an int"},
           Wrong{"(((((((1)))))))", 7, "too many parentheses"},
           Wrong{"(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)", 34, "too many numbers"},
           Wrong{"(4,2):(1,(2))", 13, "are not nested alike"},
           Wrong{"(4,0):(1,4)", 11, "extent 0 of leaf 1 is below 1"},
           Wrong{"Sw<3,4>o8", 6, "',' is missing here"},
           Wrong{"Sw<3,4,3>8", 9, "'o' and a layout must follow"},
           Wrong{"Sw<3,4,2>o8", 10, "needs a shift of as many"},
           Wrong{"-4:1", 0, "a number is missing here"},
       }) {
    try {
      parse_swizzled(wrong.text);
      ADD_FAILURE() << wrong.text << " was read";
    } catch (const TextError& error) {
      EXPECT_EQ(error.position(), wrong.position) << error.what();
      EXPECT_NE(std::string(error.what()).find(wrong.complaint), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace aisp::tile
