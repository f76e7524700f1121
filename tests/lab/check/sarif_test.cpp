// The shape of SARIF 2.1.0, checked by hand: the properties that its schema requires, and those
// that code hosts read.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "lab/check/report.hpp"
#include "lab/check/rules.hpp"
#include "tests/lab/check/sample_hazards.hpp"

namespace aisp::lab {
namespace {

using nlohmann::json;

json sarif_of(const std::vector<Hazard>& hazards, const std::string& suppressions = "",
              CheckRun run = {}) {
  const auto report =
      make_report({.program = {"./bin/program x"}}, {.runs = {run}, .hazards = hazards},
                  parse_suppressions(suppressions, "s"), "/src");
  return json::parse(sarif_report(report));
}

void expect_message(const json& message) {
  EXPECT_TRUE(message.is_object() && message.at("text").is_string()) << message;
  EXPECT_FALSE(message.at("text").get<std::string>().empty());
}

// A URI reference: no blanks, and no scheme where it is relative.
void expect_artifact(const json& artifact, const json& bases) {
  const auto uri = artifact.at("uri").get<std::string>();
  EXPECT_EQ(uri.find(' '), std::string::npos) << uri;
  if (artifact.contains("uriBaseId")) {
    EXPECT_FALSE(uri.starts_with('/') || uri.find("://") != std::string::npos) << uri;
    EXPECT_TRUE(bases.contains(artifact["uriBaseId"].get<std::string>()));
  } else {
    EXPECT_TRUE(uri.starts_with("file:///")) << uri;
  }
}

void expect_location(const json& location, const json& bases) {
  expect_artifact(location.at("physicalLocation").at("artifactLocation"), bases);
  const json& physical = location["physicalLocation"];
  const json region = physical.value("region", json{{"startLine", 1}});
  EXPECT_GE(region.at("startLine").get<int>(), 1);
  for (const auto& logical : location.value("logicalLocations", json::array()))
    EXPECT_FALSE(logical.at("name").get<std::string>().empty());
  if (location.contains("message")) expect_message(location["message"]);
}

void expect_rules(const json& rules) {
  std::set<std::string> names;
  for (const auto& rule : rules) {
    EXPECT_TRUE(names.insert(rule.at("id").get<std::string>()).second) << rule;
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(rule.at("name").get<std::string>()[0])));
    for (const char* text : {"shortDescription", "fullDescription", "help"})
      expect_message(rule.at(text));
    const auto level = rule.at("defaultConfiguration").at("level").get<std::string>();
    EXPECT_TRUE(level == "error" || level == "warning" || level == "note") << level;
  }
}

void expect_sarif(const json& log) {
  EXPECT_EQ(log.at("version"), "2.1.0");
  EXPECT_TRUE(log.at("$schema").is_string());
  ASSERT_EQ(log.at("runs").size(), 1u);
  const json& run = log["runs"][0];
  const json& driver = run.at("tool").at("driver");
  EXPECT_TRUE(driver.at("name").is_string());
  expect_rules(driver.at("rules"));
  const json& bases = run.at("originalUriBaseIds");
  for (const auto& base : bases)
    EXPECT_TRUE(base.at("uri").get<std::string>().ends_with('/')) << base;
  for (const auto& invocation : run.at("invocations")) {
    EXPECT_TRUE(invocation.at("executionSuccessful").is_boolean());
    for (const auto& note : invocation.at("toolExecutionNotifications"))
      expect_message(note.at("message"));
  }
  for (const auto& result : run.at("results")) {
    expect_message(result.at("message"));
    const auto index = result.at("ruleIndex").get<std::size_t>();
    EXPECT_EQ(driver["rules"].at(index).at("id"), result.at("ruleId"));
    EXPECT_GE(result.at("occurrenceCount").get<int>(), 1);
    ASSERT_EQ(result.at("locations").size(), 1u);
    expect_location(result["locations"][0], bases);
    for (const auto& related : result.value("relatedLocations", json::array())) {
      expect_location(related, bases);
      EXPECT_TRUE(related.at("id").is_number_unsigned());
    }
    for (const auto& print : result.at("partialFingerprints")) EXPECT_TRUE(print.is_string());
    for (const auto& one : result.at("suppressions")) {
      EXPECT_EQ(one.at("kind"), "external");
      EXPECT_TRUE(one.at("justification").is_string());
    }
  }
}

TEST(Sarif, DescribesEveryRuleAndNothingFound) {
  const auto log = sarif_of({});
  expect_sarif(log);
  EXPECT_EQ(log["runs"][0]["tool"]["driver"]["rules"].size(), base::hazard_rules.size());
  EXPECT_TRUE(log["runs"][0]["results"].is_array());
  EXPECT_TRUE(log["runs"][0]["results"].empty());
}

TEST(Sarif, PointsAtBothPlacesInTheSource) {
  const auto log = sarif_of({sample_hazard()});
  expect_sarif(log);
  const json& result = log["runs"][0]["results"][0];
  EXPECT_EQ(result["ruleId"], "shared-race");
  EXPECT_EQ(result["level"], "error");
  EXPECT_NE(result["message"]["text"].get<std::string>().find("no barrier between them"),
            std::string::npos);
  const json& first = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(first["artifactLocation"]["uri"], "sum.cu");
  EXPECT_EQ(first["region"]["startLine"], 110);
  EXPECT_EQ(result["locations"][0]["logicalLocations"][0]["name"], "sum");
  ASSERT_EQ(result["relatedLocations"].size(), 1u);
  EXPECT_EQ(result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 120);
  EXPECT_TRUE(result["suppressions"].empty());
}

TEST(Sarif, PointsAtTheProgramWhereThereIsNoSource) {
  Hazard bare = sample_hazard("deadlock");
  bare.places.clear();
  Hazard elsewhere = sample_hazard();
  elsewhere.places[0].file = "/opt/a b/c.cu";
  elsewhere.places[1].file = "";
  const auto log = sarif_of({bare, elsewhere});
  expect_sarif(log);
  const json& results = log["runs"][0]["results"];
  EXPECT_EQ(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "bin/program%20x");
  EXPECT_FALSE(results[0]["locations"][0]["physicalLocation"].contains("region"));
  EXPECT_EQ(results[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "file:///opt/a%20b/c.cu");
  EXPECT_EQ(results[1]["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "bin/program%20x");
}

TEST(Sarif, AdviceIsANoteAndTheSuppressedAreMarked) {
  Hazard advice = sample_hazard("uncoalesced");
  advice.level = base::HazardLevel::advice;
  const auto log = sarif_of({advice, sample_hazard()}, "shared-race *  # known\n");
  expect_sarif(log);
  const json& results = log["runs"][0]["results"];
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0]["level"], "note");
  EXPECT_EQ(results[1]["suppressions"][0]["justification"], "known");
}

TEST(Sarif, FingerprintsSurviveMovedLinesOnly) {
  Hazard moved = sample_hazard(), other = sample_hazard();
  moved.places[0].line += 7;
  moved.places[0].ptx_line += 3;
  other.places[0].ptx = "ld.shared.f32 %f1, [%r1];";
  const auto log = sarif_of({sample_hazard(), moved, other});
  const json& results = log["runs"][0]["results"];
  EXPECT_EQ(results[0]["partialFingerprints"], results[1]["partialFingerprints"]);
  EXPECT_NE(results[0]["partialFingerprints"], results[2]["partialFingerprints"]);
}

TEST(Sarif, ARuleThatOnlyTheCheckerKnowsIsDescribedToo) {
  const auto log = sarif_of({sample_hazard("new-rule"), sample_hazard("new-rule", 1, 2)});
  expect_sarif(log);
  EXPECT_EQ(log["runs"][0]["tool"]["driver"]["rules"].size(), base::hazard_rules.size() + 1);
}

TEST(Sarif, AFailedProgramIsANotification) {
  const auto log = sarif_of({}, "", {.schedule = {.order = ScheduleOrder::latest}, .exit = 3});
  expect_sarif(log);
  const json& invocation = log["runs"][0]["invocations"][0];
  EXPECT_EQ(invocation["exitCode"], 3);
  EXPECT_EQ(invocation["toolExecutionNotifications"][0]["message"]["text"],
            "the program ended with exit code 3 under --order latest");
}

}  // namespace
}  // namespace aisp::lab
