// One table of rules: what the checker writes, what the command line explains and what
// docs/hazards.md lists.
#include "lab/check/rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "lab/check/hazard.hpp"
#include "sim/watch/finding.hpp"
#include "tests/support/files.hpp"

namespace aisp::lab {
namespace {

TEST(Rules, AreTheCheckersOwn) {
  const TemporaryFolder folder;
  sim::watch::Findings findings(folder.path().string());
  for (std::size_t i = 0; i < base::hazard_rules.size(); ++i)
    findings.add({.rule = static_cast<base::HazardRule>(i)}, i, 0);
  findings.write();
  const auto written = read_hazards(folder.path(), {}).hazards;
  ASSERT_EQ(written.size(), base::hazard_rules.size());
  for (const Hazard& hazard : written) {
    const base::HazardRuleText* rule = find_hazard_rule(hazard.rule);
    ASSERT_NE(rule, nullptr) << hazard.rule;
    EXPECT_EQ(hazard.title, rule->title);
    EXPECT_EQ(hazard.level, rule->level) << rule->name;
  }
}

TEST(Rules, AreExplained) {
  std::set<std::string> names;
  for (const auto& rule : base::hazard_rules) {
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
    EXPECT_TRUE(std::string(rule.why).ends_with('.')) << rule.name;
    EXPECT_TRUE(std::string(rule.remedy).ends_with('.')) << rule.name;
    EXPECT_EQ(find_hazard_rule(rule.name), &rule);
    EXPECT_NE(rules_page().find(std::string(rule.name)), std::string::npos);
  }
  EXPECT_EQ(find_hazard_rule("nonsense"), nullptr);
}

TEST(Rules, AreTheTableInTheDocument) {
  const std::string document = text_of(std::filesystem::path(AISP_SOURCE_DIR) / "docs/hazards.md");
  std::string table;
  for (const auto& rule : base::hazard_rules)
    table += std::string("| `") + rule.name + "` | " + name_of(rule.level) + " | " + rule.title +
             " | " + rule.remedy + " |\n";
  const std::string head =
      "| rule | level | what is wrong | what usually mends it |\n|---|---|---|---|\n";
  const std::size_t begin = document.find(head);
  ASSERT_NE(begin, std::string::npos) << "docs/hazards.md has no table of rules";
  const std::size_t rows = begin + head.size();
  EXPECT_EQ(document.substr(rows, document.find("\n\n", rows) + 1 - rows), table)
      << "docs/hazards.md and base/hazard_rules.inc differ";
}

}  // namespace
}  // namespace aisp::lab
