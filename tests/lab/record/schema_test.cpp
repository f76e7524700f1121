// Real output against the checked-in schemas, and the schemas against damaged output.
#include "lab/record/schema.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/lab/record/sample_records.hpp"

namespace aisp::lab {
namespace {

using nlohmann::json;

std::string schema_text(const char* name) {
  return text_of(std::filesystem::path(AISP_SOURCE_DIR) / "lab" / "record" / name);
}

std::string first_violation(const std::string& schema, const json& document) {
  const auto violations = schema_violations(schema, document);
  return violations.empty() ? "" : violations.front();
}

RunFile full_run() {
  RunFile run = small_run("a", 4, 1, 0.1, 2);
  const std::string entry = run.rows[0].entry;
  run.header.plan[0].variant = "bf16";
  run.header.sweep = {"N"};
  run.header.plan[0].at = {1024};
  run.device->host = "node1";
  run.device->system = "Linux 6.1";
  run.device->processor = "Neoverse-V2";
  run.device->roofs = {{"memory", 4e12, false}};
  KernelRecord kernel{"scale", {132}, {256}, 32, 0, 0, 0, 12.5};
  for (const auto& [counter, name] : names_of(Counter{})) kernel.counters.push_back({counter, 2.5});
  kernel.pipes = {{"fma", 20}};
  kernel.stalls = {{"long scoreboard", 60}};
  kernel.lines = {{"scale.cu", 7, "x[i] *= 2;", 80, "long scoreboard"}};
  kernel.limit = "registers";
  run.profiles.push_back({entry,
                          "baseline",
                          1,
                          {kernel},
                          "ncu 2025.3.1",
                          "it waits",
                          "none",
                          "profiles/a.ncu-rep",
                          {{Counter::bank_conflicts, 3}}});
  run.traces.push_back(
      {entry,
       "baseline",
       1,
       true,
       "traces/a.json",
       {{0, 9.5, {{"compute", 4.5, 2}}, 1, 0.5, 2, 5, 1, 5, "scale on side", "the host"}},
       "none",
       {{0, 1.5, 2.5, "scale on side", "the host"}}});
  run.header.trace = true;
  run.attempts[0].unit = "fma f32";
  run.checks[0].report = "1 wrong, first at (1, 3)";
  run.checks[0].worst_ulp = std::numeric_limits<double>::infinity();
  run.samples[0].watts = 500;
  run.samples[0].throttle = {"power cap"};
  run.samples.push_back(sample_of(entry, "baseline", 2, 0, 3.5));
  run.rows[0].reason = "numbers differ";
  run.rows[0].note = "throttled";
  run.rows[0].roof_ms = 0.9;
  run.rows[0].roof_share = 0.95;
  run.rows[0].roof = "memory";
  run.rows[0].host_share = 0.9;
  run.samples[0].host_ms = 3.5;
  for (const auto& [count, name] : names_of(Count{})) run.rows[0].counts.push_back({count, 2.5});
  run.warning = "torn last line dropped at byte 9";
  return run;
}

TEST(Schema, EveryLineOfAJournalFits) {
  const std::string schema = schema_text("journal.schema.json");
  for (const auto& record : records_of(full_run()))
    EXPECT_EQ(first_violation(schema, json::parse(to_line(record))), "") << to_line(record);
}

TEST(Schema, TheRunDocumentFits) {
  const std::string schema = schema_text("run.schema.json");
  EXPECT_EQ(first_violation(schema, run_document(full_run())), "");
  RunFile bare;
  bare.header = small_run("a").header;
  EXPECT_EQ(first_violation(schema, run_document(bare)), "");
}

// Every value of the document in turn: taken out (where required), replaced by a wrong type, and
// joined by a stranger (in objects). The schema notices each; a missing optional field is allowed.
int count_unnoticed(const std::string& schema, const json& document, int& tried) {
  EXPECT_EQ(first_violation(schema, document), "") << "undamaged it must fit";
  int unnoticed = 0;
  const json flat = document.flatten();
  std::vector<std::string> places;
  for (const auto& [place, value] : flat.items()) places.push_back(place);
  for (const auto& place : places) {
    json mistyped = document;
    mistyped[json::json_pointer(place)] = json::object({{"stranger", true}});
    ++tried;
    if (schema_violations(schema, mistyped).empty()) {
      ++unnoticed;
      ADD_FAILURE() << "a wrong type passes at " << place;
    }
    const auto parent = json::json_pointer(place).parent_pointer();
    if (!document[parent].is_object()) continue;
    json joined = document;
    joined[parent]["stranger"] = 1;
    ++tried;
    if (schema_violations(schema, joined).empty()) {
      ++unnoticed;
      ADD_FAILURE() << "an unknown field passes beside " << place;
    }
  }
  return unnoticed;
}

TEST(Schema, DamagedLinesDoNotFit) {
  const std::string schema = schema_text("journal.schema.json");
  int tried = 0;
  // One record of each kind is enough: the others have the same fields.
  std::vector<bool> seen(std::variant_size_v<Record>);
  for (const auto& record : records_of(full_run())) {
    if (seen[record.index()]) continue;
    seen[record.index()] = true;
    EXPECT_EQ(count_unnoticed(schema, to_json(record), tried), 0);
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 9);
  EXPECT_GT(tried, 150);
}

TEST(Schema, ADamagedRunDocumentDoesNotFit) {
  int tried = 0;
  EXPECT_EQ(count_unnoticed(schema_text("run.schema.json"), run_document(full_run()), tried), 0);
  EXPECT_GT(tried, 150);
}

TEST(Schema, RequiredFieldsOfARowAreRequired) {
  const std::string schema = schema_text("journal.schema.json");
  const json row = to_json(row_of("e", "r", 1, RowStatus::failed));
  for (const auto& [name, value] : row.items()) {
    json missing = row;
    missing.erase(name);
    EXPECT_NE(first_violation(schema, missing), "") << name;
  }
}

TEST(Schema, WordsOutsideTheVocabularyDoNotFit) {
  const std::string schema = schema_text("journal.schema.json");
  json row = to_json(row_of("e", "r", 1, RowStatus::failed));
  row["status"] = "splendid";
  EXPECT_NE(first_violation(schema, row), "");
  json header = to_json(small_run("a").header);
  header["started"] = "yesterday";
  EXPECT_NE(first_violation(schema, header), "");
}

TEST(Schema, ListsTheNamesOfTheTables) {
  for (const char* file : {"journal.schema.json", "run.schema.json"}) {
    const json schema = json::parse(schema_text(file));
    const auto words = [&](const char* record, const char* field) {
      return schema["definitions"][record]["properties"][field]["enum"];
    };
    EXPECT_EQ(words("run", "timer"), json(all_names<Timer>())) << file;
    EXPECT_EQ(words("run", "l2"), json(all_names<L2Mode>())) << file;
    EXPECT_EQ(words("check", "when"), json(all_names<CheckTime>())) << file;
    EXPECT_EQ(words("row", "status"), json(all_names<RowStatus>())) << file;
    EXPECT_EQ(words("row", "verdict"), json(all_names<Verdict>())) << file;
    EXPECT_EQ(words("end", "status"), json(all_names<EndStatus>())) << file;
  }
}

TEST(Schema, AViolationSaysWhere) {
  json document = run_document(full_run());
  document["rows"][0]["timed"][1]["index"] = "first";
  const auto line = first_violation(schema_text("run.schema.json"), document);
  EXPECT_NE(line.find("/rows/0/timed/1/index"), std::string::npos) << line;
}

}  // namespace
}  // namespace aisp::lab
