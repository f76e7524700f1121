// Findings that follow from another one: read, merged over runs, folded below their root.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lab/check/report.hpp"
#include "tests/lab/check/sample_hazards.hpp"
#include "tests/support/files.hpp"

namespace aisp::lab {
namespace {

CheckReport report_of(std::vector<Hazard> hazards, CheckOptions options = {},
                      const std::string& suppressions = "") {
  options.program = {"./program"};
  Exploration found{.runs = {{}}, .hazards = std::move(hazards)};
  return make_report(options, std::move(found), parse_suppressions(suppressions, "accepted"),
                     "/src");
}

Hazard following(Hazard hazard, const Hazard& root) {
  hazard.follows = {identity(root)};
  return hazard;
}

const Hazard root = sample_hazard("bulk-wait", 10, 20);
const Hazard consequence = following(sample_hazard("mbarrier-phase", 30, 40), root);
const Hazard other = sample_hazard("shared-race", 50, 60);

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Consequences, AreFoldedBelowTheirRoot) {
  const auto report = report_of({consequence, root, other});
  ASSERT_EQ(report.hazards.size(), 2u);
  EXPECT_EQ(report.hazards[0].rule, "bulk-wait");
  ASSERT_EQ(report.hazards[0].consequences.size(), 1u);
  EXPECT_EQ(report.hazards[0].consequences[0].rule, "mbarrier-phase");
  EXPECT_TRUE(report.hazards[1].consequences.empty());
  EXPECT_EQ(report.errors(), 2);
  EXPECT_EQ(summary_line(report), "2 findings with 1 consequence in 1 run");
  EXPECT_EQ(exit_of(report), 3);
}

TEST(Consequences, ASuppressedRootDoesNotHideThem) {
  const auto report = report_of({root, consequence}, {}, "bulk-wait *  # known\n");
  ASSERT_EQ(report.hazards.size(), 1u);
  EXPECT_EQ(report.hazards[0].rule, "mbarrier-phase");
  EXPECT_EQ(exit_of(report), 3);
  const auto both =
      report_of({root, consequence}, {}, "bulk-wait *  # known\nmbarrier-phase *  # known\n");
  EXPECT_EQ(exit_of(both), 0);
  EXPECT_EQ(both.suppressed.size(), 2u);
  const auto one = report_of({root, consequence}, {}, "mbarrier-phase *  # known\n");
  EXPECT_EQ(summary_line(one), "1 finding, 1 suppressed in 1 run");
}

TEST(Consequences, AnErrorIsNotFoldedBelowSomethingFormal) {
  Hazard formal = sample_hazard("mbarrier-init-fence", 10, 20);
  formal.level = base::HazardLevel::formal;
  const auto report = report_of({formal, following(sample_hazard("deadlock", 1, 2), formal)});
  EXPECT_EQ(report.hazards.size(), 2u);
  EXPECT_EQ(report.errors(), 1);
  EXPECT_EQ(exit_of(report), 3);
}

TEST(Consequences, AreShownInShortOrInFull) {
  const std::string text = text_report(report_of({root, consequence}), false);
  EXPECT_TRUE(contains(text, "  and 1 consequence, which the same fix removes (--all shows them"))
      << text;
  EXPECT_TRUE(contains(text, "    mbarrier-phase at sum.cu:130 with sum.cu:140\n")) << text;
  EXPECT_FALSE(contains(text, "error[mbarrier-phase]")) << text;
  EXPECT_TRUE(contains(text, "'aisp check --explain bulk-wait' explains a rule")) << text;
  const std::string all =
      text_report(report_of({root, consequence, other}, {.max = 1, .all = true}), false);
  EXPECT_TRUE(contains(all, "consequence of the finding above: error[mbarrier-phase] sum: "))
      << all;
  EXPECT_TRUE(contains(all, "error[shared-race]")) << all;
  EXPECT_FALSE(contains(text_report(report_of({}), false), "--explain"));
}

TEST(Consequences, AreDataOfTheRoot) {
  const auto report = report_of({root, consequence});
  const auto json = nlohmann::json::parse(json_report(report));
  ASSERT_EQ(json["findings"].size(), 1u);
  ASSERT_EQ(json["findings"][0]["consequences"].size(), 1u);
  EXPECT_EQ(json["findings"][0]["consequences"][0]["rule"], "mbarrier-phase");
  EXPECT_EQ(json["findings"][0]["consequences"][0]["places"].size(), 2u);
  EXPECT_EQ(json["summary"]["errors"], 1);
  EXPECT_EQ(json["summary"]["consequences"], 1);
  const auto sarif = nlohmann::json::parse(sarif_report(report))["runs"][0];
  ASSERT_EQ(sarif["results"].size(), 1u);
  const auto& folded = sarif["results"][0]["properties"]["consequences"];
  ASSERT_EQ(folded.size(), 1u);
  EXPECT_EQ(folded[0]["ruleId"], "mbarrier-phase");
  EXPECT_EQ(folded[0]["locations"].size(), 2u);
}

// A file with numbers, as the checker writes it.
std::string numbered(const Hazard& hazard, int number, const std::vector<int>& follows) {
  auto json = nlohmann::json::parse(line_of(hazard));
  json["number"] = number;
  json["follows"] = follows;
  return json.dump() + "\n";
}

TEST(Consequences, AreReadByTheirNumbers) {
  const TemporaryFolder folder;
  write_text(folder.path() / "1.jsonl",
             numbered(other, 0, {}) + numbered(consequence, 1, {2}) + numbered(root, 2, {}));
  const auto found = read_hazards(folder.path(), {}).hazards;
  ASSERT_EQ(found.size(), 3u);
  EXPECT_TRUE(found[0].follows.empty());
  EXPECT_EQ(found[1].follows, std::vector<std::string>{identity(root)});
  EXPECT_TRUE(found[2].follows.empty());
}

TEST(Consequences, WhatHasItsOwnCauseInOneRunIsNone) {
  Hazard alone = consequence;
  alone.follows.clear();
  std::vector<Hazard> all{root, consequence};
  merge(all, {alone});
  EXPECT_TRUE(all[1].follows.empty());
  merge(all, {root, consequence});
  EXPECT_TRUE(all[1].follows.empty());
}

// In another run the root shows at other instructions of the same cause.
TEST(Consequences, FollowARootThatIsKnownUnderAnotherName) {
  Hazard first = root, again = sample_hazard("bulk-wait", 11, 21);
  first.causes = again.causes = {"mbarrier of sum.cu:7 waited for before stretch 3"};
  std::vector<Hazard> all{first};
  merge(all, {following(consequence, again), again});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].follows, std::vector<std::string>{identity(first)});
}

TEST(Causes, PairsThatNoOneBarrierFixesAreTwoHazards) {
  Hazard first = sample_hazard("shared-race", 10, 20),
         second = sample_hazard("shared-race", 30, 40);
  first.causes = second.causes = {"stretches 1 and 1 "};
  first.between = {10, 20};
  second.between = {30, 40};
  EXPECT_FALSE(same_hazard(first, second));
  second.between = {15, 40};
  EXPECT_TRUE(same_hazard(first, second));
}

}  // namespace
}  // namespace aisp::lab
