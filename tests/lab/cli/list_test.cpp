// `aisp bench list-targets`: what is built, and what is planned.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

class ListTargets : public FixtureTest {};

TEST_F(ListTargets, AsJsonHasEveryField) {
  const auto outcome = run({"bench", "list-targets", "--chapter", "fx", "--json"});
  EXPECT_EQ(outcome.exit, 0);
  const auto list = nlohmann::json::parse(outcome.out);
  ASSERT_TRUE(list.is_array());
  EXPECT_GE(list.size(), 15u);
  for (const auto& target : list) {
    for (const char* key : {"target", "chapter", "name", "idea", "status", "aliases", "axes",
                            "variants", "full", "quick", "rungs"})
      EXPECT_TRUE(target.contains(key)) << key;
    if (target["status"] != "built") continue;
    ASSERT_FALSE(target["rungs"].empty());
    EXPECT_EQ(target["rungs"][0]["name"], "double");
    for (const auto& rung : target["rungs"])
      for (const char* key :
           {"name", "step", "builds_on", "idea", "look_at", "needs", "peer", "variants"})
        EXPECT_TRUE(rung.contains(key)) << key;
    EXPECT_EQ(target["rungs"][0]["needs"], "host");
  }
  const auto good = std::find_if(list.begin(), list.end(),
                                 [](const auto& target) { return target["target"] == "fx:good"; });
  ASSERT_NE(good, list.end());
  EXPECT_EQ((*good)["full"], nlohmann::json({"4096"}));
  EXPECT_EQ((*good)["axes"], nlohmann::json({"N"}));
}

TEST_F(ListTargets, AsTextNamesEveryTargetAndRung) {
  const auto outcome = run({"bench", "list-targets", "--chapter", "fx"});
  EXPECT_EQ(outcome.exit, 0);
  for (const char* word : {"fx:good", "fx:hang", "endless", "libdouble", "(peer)", "sizes: 4096"})
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word;
  const auto list =
      nlohmann::json::parse(run({"bench", "list-targets", "--chapter", "fx", "--json"}).out);
  EXPECT_TRUE(outcome.last_line().starts_with(std::to_string(list.size() - 1) +
                                              " targets, 1 not built yet; run one with: aisp "))
      << outcome.out;
  EXPECT_EQ(outcome.out.find('\033'), std::string::npos);
}

TEST_F(ListTargets, PlannedOnesStandAtTheirPlaceWithWhatTheyWaitFor) {
  const auto text = run({"bench", "list-targets", "--chapter", "fx"}).out;
  const auto at = text.find(
      "fx:planned  what it will show\n  also: later, afterwards\n"
      "  needs a better machine, not built yet\n\n");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_LT(text.find("fx:out_of_memory"), at);
  EXPECT_GT(text.find("fx:reference_throws"), at);
  const auto all = run({"bench", "list-targets"}).out;
  EXPECT_NE(all.find("fx:planned  what it will show"), std::string::npos) << all;

  const auto list =
      nlohmann::json::parse(run({"bench", "list-targets", "--chapter", "fx", "--json"}).out);
  const auto planned = std::find_if(
      list.begin(), list.end(), [](const auto& each) { return each["target"] == "fx:planned"; });
  ASSERT_NE(planned, list.end());
  EXPECT_EQ((*planned)["status"], "needs a better machine, not built yet");
  EXPECT_EQ((*planned)["aliases"], nlohmann::json({"later", "afterwards"}));
  EXPECT_TRUE((*planned)["rungs"].empty());
}

TEST_F(ListTargets, PlannedOnesAreRefusedByNameAndAlias) {
  const std::string line = "fx:planned needs a better machine, not built yet; 'aisp bench";
  for (const char* name : {"fx:planned", "planned", "later", "fx:afterwards", "fx:good,later"})
    expect_refused(run(bench(name) + briefly), 2, line);
  expect_refused(run({"check", "--targets", "later"}), 2, line);
  expect_refused(run({"compare", "fx", "--examples", "planned"}), 2, line);
  expect_refused(run(bench("planed")), 2, "did you mean 'fx:planned'?");
}

// Of a build that AISP_ONLY restricts: the code is there, and one command builds it.
TEST_F(ListTargets, WhatTheBuildLeftOutNamesTheCommandThatBuildsIt) {
  const std::string line =
      "left:out is in the source tree and not in this build; build all targets with 'make all'";
  for (const char* name : {"left:out", "out", "fx:good,out"})
    expect_refused(run(bench(name) + briefly), 2, line);
  expect_refused(run(bench("left") + briefly), 2, "nothing of left is in this build; left:out, ");
  expect_refused(run({"check", "--targets", "left:out"}), 2, line);
  EXPECT_NE(run({"bench", "list-targets", "--chapter", "left"}).out.find("with 'make all'"),
            std::string::npos);
}

}  // namespace
}  // namespace aisp::lab
