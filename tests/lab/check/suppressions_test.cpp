#include "lab/check/suppressions.hpp"

#include <gtest/gtest.h>

#include "tests/lab/check/sample_hazards.hpp"
#include "tests/support/files.hpp"

namespace aisp::lab {
namespace {

std::vector<Suppression> parsed(const std::string& text) { return parse_suppressions(text, "s"); }

bool suppresses(const std::string& line, const Hazard& hazard) {
  return covering(parsed(line + "  # accepted"), hazard) != nullptr;
}

TEST(Suppressions, AreLinesOfRuleKernelPlaceAndReason) {
  const auto all = parsed(
      "# our own\n\nshared-race sum*  # same value, see notes\n"
      "\tdeadlock \"void f<int, 4>(float*)\" st.shared.f32 [%r1]  #reason\r\n");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].rule, "shared-race");
  EXPECT_EQ(all[0].kernel, "sum*");
  EXPECT_EQ(all[0].place, "");
  EXPECT_EQ(all[0].reason, "same value, see notes");
  EXPECT_EQ(all[0].line, 3);
  EXPECT_EQ(all[0].text(), "shared-race sum*");
  EXPECT_EQ(all[1].kernel, "void f<int, 4>(float*)");
  EXPECT_EQ(all[1].place, "st.shared.f32 [%r1]");
  EXPECT_EQ(all[1].reason, "reason");
  EXPECT_EQ(all[1].text(), "deadlock \"void f<int, 4>(float*)\" st.shared.f32 [%r1]");
}

TEST(Suppressions, BadLinesAreRefusedWithNumberAndCause) {
  const std::vector<std::pair<std::string, std::string>> bad{
      {"\nshared-race sum", "s:2: no reason"},
      {"shared-race sum  #  ", "s:1: no reason"},
      {"shared-race  # because", "s:1: no kernel"},
      {"shared-race \"sum  # because", "s:1: no kernel"},
      {"shared-rice sum  # because", "there is no rule 'shared-rice'; did you mean shared-race?"},
      {"nonsense sum  # because", "'aisp check --rules' lists them"}};
  for (const auto& [text, part] : bad) {
    const auto refusal = refusal_of([&] { parsed(text); });
    EXPECT_EQ(refusal.exit(), base::Exit::usage);
    EXPECT_NE(std::string(refusal.what()).find(part), std::string::npos) << refusal.what();
  }
}

TEST(Suppressions, CoverByRuleAndKernel) {
  Hazard hazard = sample_hazard();
  EXPECT_TRUE(suppresses("shared-race sum", hazard));
  EXPECT_TRUE(suppresses("* s?m", hazard));
  EXPECT_FALSE(suppresses("global-race sum", hazard));
  EXPECT_FALSE(suppresses("shared-race su", hazard));
  EXPECT_FALSE(suppresses("shared-race -", hazard));
  hazard.kernel = "void ns::sum<int, 4>(float*, int)";
  EXPECT_TRUE(suppresses("shared-race ns::sum", hazard));
  EXPECT_TRUE(suppresses("shared-race *sum<int*", hazard));
  EXPECT_FALSE(suppresses("shared-race sum", hazard));
  hazard.kernel = "";
  EXPECT_TRUE(suppresses("shared-race -", hazard));
  EXPECT_TRUE(suppresses("shared-race *", hazard));
  EXPECT_FALSE(suppresses("shared-race sum", hazard));
}

TEST(Suppressions, CoverByPlace) {
  const Hazard hazard = sample_hazard();  // /src/sum.cu:110 and :120
  for (const char* place : {"sum.cu:110", "sum.cu:120", "sum.cu:*", "/src/*", "sr?/sum.cu:1?0",
                            "[%r20]", "st.shared.f32 [%r10], %f1"})
    EXPECT_TRUE(suppresses(std::string("shared-race sum ") + place, hazard)) << place;
  for (const char* place : {"sum.cu:111", "um.cu:110", "sum.cu", "ld.shared"})
    EXPECT_FALSE(suppresses(std::string("shared-race sum ") + place, hazard)) << place;
}

TEST(Suppressions, TheFirstThatCoversItCounts) {
  const auto all = parsed("deadlock *  # a\nshared-race *  # b\n* *  # c\n");
  EXPECT_EQ(covering(all, sample_hazard())->reason, "b");
  EXPECT_EQ(covering(all, sample_hazard("global-race"))->reason, "c");
}

TEST(Globs, KnowStarsAndQuestionMarksOnly) {
  EXPECT_TRUE(glob_matches("", ""));
  EXPECT_TRUE(glob_matches("**", ""));
  EXPECT_TRUE(glob_matches("a*b*c", "aXbYbZc"));
  EXPECT_TRUE(glob_matches("*a[0]*", "xa[0]y"));
  EXPECT_FALSE(glob_matches("?", ""));
  EXPECT_FALSE(glob_matches("a*b", "abX"));
  EXPECT_FALSE(glob_matches("[ab]", "a"));
}

}  // namespace
}  // namespace aisp::lab
