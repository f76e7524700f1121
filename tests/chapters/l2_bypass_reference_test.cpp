#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/refuse.hpp"
#include "chapters/ch14/l2_bypass/records.hpp"
#include "tests/chapters/reference_support.hpp"

using namespace aisp;

namespace {

using namespace ch14;
using namespace reference_support;

lab::Problem of(std::int64_t hot, std::int64_t stream) {
  return target_named("ch14:l2_bypass").problem({"", {hot, stream}});
}

TEST(L2Bypass, EveryLineOfTheHotSetIsAsLikelyAsAnyOther) {
  for (const std::uint32_t lines : {1u, 7u, 344u, 1000u}) {
    std::vector<int> visits(lines);
    constexpr int each = 400;
    for (std::uint32_t record = 0; record < each * lines; ++record)
      ++visits.at(hot_line(record, lines));  // throws past the end
    const auto [least, most] = std::minmax_element(visits.begin(), visits.end());
    // Six standard deviations of a count of 400.
    EXPECT_GT(*least, lines == 1 ? each - 1 : each - 120) << lines;
    EXPECT_LT(*most, each + 120) << lines;
  }
}

TEST(L2Bypass, AGroupIsTheSumOfItsRecordsEachWithItsLine) {
  const auto problem = of(1, 16);  // 8 lines, 2 groups
  const std::size_t words = 2 * group_records * line_words;
  std::vector<double> stream(words, 0.0), hot(8 * line_words, 0.0);
  for (int word = 0; word < line_words; ++word)
    for (int line = 0; line < 8; ++line)
      hot[static_cast<std::size_t>(line * line_words + word)] = 1000.0 * line + word;
  stream[5] = 4096;  // a bit that no line has: exclusive-or adds it to record 0
  const auto y =
      answer(problem, {tensor_of(problem.inputs[0], stream), tensor_of(problem.inputs[1], hot)});
  for (int group = 0; group < 2; ++group)
    for (int word = 0; word < line_words; ++word) {
      double sum = 0;
      for (int i = 0; i < group_records; ++i)
        sum += 1000.0 * hot_line(static_cast<std::uint32_t>(group * group_records + i), 8) + word;
      const bool changed = group == 0 && word == 5;
      const int at_record_0 = 1000 * static_cast<int>(hot_line(0, 8)) + 5;
      if (changed) sum += (at_record_0 ^ 4096) - at_record_0;
      EXPECT_EQ(y[static_cast<std::size_t>(group * line_words + word)], sum)
          << group << ' ' << word;
    }
}

TEST(L2Bypass, SumsWrapAround) {
  const auto problem = of(1, 8);
  const double most = std::numeric_limits<std::int32_t>::max();
  const std::vector<double> stream(group_records * line_words, most), hot(8 * line_words, 0.0);
  const auto y =
      answer(problem, {tensor_of(problem.inputs[0], stream), tensor_of(problem.inputs[1], hot)});
  for (const double word : y) EXPECT_EQ(word, -group_records);  // 64 (2^31 - 1) mod 2^32
}

TEST(L2Bypass, RefusesWhatIsNoGroupOfRecords) {
  EXPECT_THROW(of(0, 8), base::Refusal);
  EXPECT_THROW(of(8, 0), base::Refusal);
  EXPECT_THROW(of(8, 12), base::Refusal);
  EXPECT_NO_THROW(of(3, 16));
}

}  // namespace
