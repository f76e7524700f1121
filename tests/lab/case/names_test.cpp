#include "lab/case/names.hpp"

#include <gtest/gtest.h>

namespace aisp::lab {
namespace {

enum class Pace { slow, fast_enough };
constexpr auto names_of(Pace) {
  return std::to_array<Name<Pace>>({{Pace::slow, "slow"}, {Pace::fast_enough, "fast enough"}});
}

static_assert(Named<Pace> && !Named<int> && !Named<std::string>);
static_assert(name_of(Pace::fast_enough) == "fast enough");
static_assert(value_named<Pace>("slow") == Pace::slow);

TEST(Names, GoBothWays) {
  for (const Pace pace : {Pace::slow, Pace::fast_enough})
    EXPECT_EQ(value_named<Pace>(name_of(pace)), pace);
  for (const char* word : {"", "Slow", "slow ", "fast"})
    EXPECT_EQ(value_named<Pace>(word), std::nullopt) << word;
}

TEST(Names, OfNothingAreEmpty) {
  EXPECT_EQ(name_of(std::optional<Pace>()), "");
  EXPECT_EQ(name_of(std::optional(Pace::slow)), "slow");
}

TEST(Names, AreListedInTheOrderOfTheTable) {
  EXPECT_EQ(all_names<Pace>(), (std::vector<std::string>{"slow", "fast enough"}));
}

}  // namespace
}  // namespace aisp::lab
