// Which findings follow from which: what is noted with a finding, and the edges it is decided by.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/watch/device/missing_edges.hpp"
#include "sim/watch/finding.hpp"
#include "sim/watch/host/missing_order.hpp"
#include "tests/support/files.hpp"

namespace aisp::sim::watch {
namespace {

std::vector<nlohmann::json> written(Findings& findings, const lab::TemporaryFolder& folder) {
  findings.write();
  std::vector<nlohmann::json> lines;
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    std::istringstream text(lab::text_of(file.path()));
    for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  }
  return lines;
}

Finding finding_of(HazardRule rule) {
  Finding finding;
  finding.rule = rule;
  finding.kernel = "k";
  return finding;
}

TEST(Follows, OneOccurrenceWithoutARootMakesARoot) {
  const lab::TemporaryFolder folder;
  Findings findings(folder.path().string());
  const FindingNumber root = findings.add(finding_of(HazardRule::bulk_wait), 1, 2);
  const FindingNumber phase = findings.add(finding_of(HazardRule::mbarrier_phase), 3, 4, 1, root);
  findings.add(finding_of(HazardRule::deadlock), 5, 0, 1, root);
  EXPECT_TRUE(findings.is_root(root));
  EXPECT_FALSE(findings.is_root(phase));
  EXPECT_EQ(findings.number_of(HazardRule::mbarrier_phase, "k", 3, 4), phase);
  EXPECT_EQ(findings.number_of(HazardRule::mbarrier_phase, "k", 3, 5), no_finding);
  auto lines = written(findings, folder);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0]["follows"], nlohmann::json::array());
  EXPECT_EQ(lines[1]["follows"], nlohmann::json::array({root}));
  EXPECT_EQ(lines[1]["number"], phase);
  EXPECT_TRUE(findings.known(HazardRule::mbarrier_phase, "k", 3, 4));  // follows from nothing
  lines = written(findings, folder);
  EXPECT_EQ(lines[1]["follows"], nlohmann::json::array());
  EXPECT_EQ(lines[2]["follows"], nlohmann::json::array({root}));
}

TEST(Follows, PairsWithACauseAreTwoWhereNoBarrierIsBetweenBoth) {
  Findings findings("");
  Finding first = finding_of(HazardRule::shared_race);
  first.causes = {"stretches 1 and 1 "};
  Finding second = first, third = first;
  first.between = {10, 20};
  second.between = {30, 40};
  third.between = {35, 50};
  const auto a = findings.add(first, 10, 20), b = findings.add(second, 30, 40);
  EXPECT_NE(a, b);
  EXPECT_EQ(findings.add(third, 35, 50), b);
  EXPECT_EQ(findings.size(), 2u);
}

constexpr Actor warp = actor_of(3, Channel::lanes), products = actor_of(3, Channel::product),
                copies = actor_of(3, Channel::copy), ring = actor_of(9, Channel::mbarrier);

TEST(Precedes, ProgramOrderOfOneLane) {
  const Event early{.actor = warp, .lanes = 1, .time = 4, .pc = 10};
  EXPECT_TRUE(precedes(early, {.actor = warp, .lanes = 3, .time = 5, .pc = 2}));
  EXPECT_FALSE(precedes(early, {.actor = warp, .lanes = 2, .time = 5, .pc = 20}));
  EXPECT_FALSE(precedes(early, {.actor = warp, .lanes = 1, .time = 3, .pc = 20}));
  // Between two synchronisations the code gives the order.
  EXPECT_TRUE(precedes(early, {.actor = warp, .lanes = 1, .time = 4, .pc = 10}));
  EXPECT_FALSE(precedes(early, {.actor = warp, .lanes = 1, .time = 4, .pc = 9}));
}

TEST(Precedes, OperationsInTheOrderOfTheirIssue) {
  EXPECT_TRUE(precedes({.actor = products, .lanes = 1, .time = 2},
                       {.actor = products, .lanes = 1, .time = 2}));
  EXPECT_FALSE(precedes({.actor = products, .lanes = 1, .time = 3},
                        {.actor = products, .lanes = 1, .time = 2}));
  EXPECT_FALSE(
      precedes({.actor = copies, .lanes = 1, .time = 1}, {.actor = copies, .lanes = 2, .time = 2}));
  const Event copy{
      .actor = ring, .lanes = 1, .time = 2, .issuer = warp, .issuer_lanes = 1, .issued = 7};
  EXPECT_TRUE(precedes({.actor = warp, .lanes = 1, .time = 7}, copy));
  EXPECT_FALSE(precedes({.actor = warp, .lanes = 1, .time = 8}, copy));
  EXPECT_FALSE(precedes({.actor = warp, .lanes = 2, .time = 7}, copy));
}

TEST(MissingEdges, AreFoundByWhatComesBeforeThem) {
  MissingEdges edges;
  const Event read{.actor = warp, .lanes = 1, .time = 5};
  edges.add({.actor = ring, .lanes = 1, .time = 3}, read, 7);
  const auto any = [](const MissingEdges::Edge&) { return true; };
  const auto none = [](const MissingEdges::Edge&) { return false; };
  EXPECT_EQ(edges.find({.actor = ring, .lanes = 1, .time = 3}, any), 7u);
  EXPECT_EQ(edges.find({.actor = ring, .lanes = 1, .time = 2}, any), 7u);
  EXPECT_EQ(edges.find({.actor = ring, .lanes = 1, .time = 4}, any), no_finding);
  EXPECT_EQ(edges.find({.actor = ring, .lanes = 1, .time = 3}, none), no_finding);
  EXPECT_EQ(edges.find({.actor = warp, .lanes = 1, .time = 1}, any), no_finding);
  EXPECT_EQ(edges.disturbance_of(ring), no_finding);
  edges.disturb(ring, 7);
  edges.disturb(ring, 8);
  EXPECT_EQ(edges.disturbance_of(ring), 7u);
}

// Two streams of two operations each, and one event between the last of the first and the first of
// the second.
TEST(MissingOrder, TheInnermostPairIsTheRoot) {
  OperationOrder order;
  const auto add = [&](const OrderNode* after) {
    return order.add(after != nullptr ? after->clock : ChainClock{}, true, after);
  };
  const OrderNodePtr a1 = add(nullptr), a2 = add(a1.get()), b1 = add(nullptr), b2 = add(b1.get());
  const lab::TemporaryFolder folder;
  Findings findings(folder.path().string());
  const auto outer = findings.add(finding_of(HazardRule::stream_race), 1, 4);
  const auto inner = findings.add(finding_of(HazardRule::stream_race), 2, 3);
  const auto apart = findings.add(finding_of(HazardRule::stream_race), 5, 6);
  MissingOrder missing;
  missing.add(a1, b2, outer);
  missing.add(a2, b1, inner);
  missing.add(add(nullptr), add(nullptr), apart);
  missing.settle(findings);
  const auto lines = written(findings, folder);
  EXPECT_EQ(lines[outer]["follows"], nlohmann::json::array({inner}));
  EXPECT_EQ(lines[inner]["follows"], nlohmann::json::array());
  EXPECT_EQ(lines[apart]["follows"], nlohmann::json::array());
  missing.add(a2, add(nullptr), outer);  // the same kernels, in no order once more
  missing.settle(findings);
  EXPECT_TRUE(findings.is_root(outer));
}

}  // namespace
}  // namespace aisp::sim::watch
