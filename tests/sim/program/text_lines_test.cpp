#include "sim/program/text_lines.hpp"

#include <gtest/gtest.h>

namespace {

using aisp::sim::TextLines;

TEST(TextLines, CountFromOne) {
  const TextLines lines("first\n\n third\n");
  EXPECT_EQ(lines.count(), 3);
  EXPECT_EQ(lines.at(1), "first");
  EXPECT_EQ(lines.at(2), "");
  EXPECT_EQ(lines.at(3), " third");
}

TEST(TextLines, TheLastOneMayHaveNoEnd) {
  const TextLines lines("a\nb");
  EXPECT_EQ(lines.count(), 2);
  EXPECT_EQ(lines.at(2), "b");
}

TEST(TextLines, WhatIsNotThereIsEmpty) {
  const TextLines lines("a\nb\n"), none("");
  for (const int number : {-1, 0, 3, 1000}) EXPECT_EQ(lines.at(number), "");
  EXPECT_EQ(none.count(), 0);
  EXPECT_EQ(none.at(1), "");
  EXPECT_EQ(TextLines().at(1), "");
}

}  // namespace
