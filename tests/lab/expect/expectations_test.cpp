// Expectation files: written and read back, and every way in which one can be bad.
#include "lab/expect/expectations.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lab/record/schema.hpp"
#include "tests/lab/record/sample_records.hpp"

namespace aisp::lab {
namespace {

using nlohmann::json;

const std::string entry = "ch09:memory_bound/1024";

Expectations from_run(const RunFile& run) {
  Expectations expectations{.hardware = "h200", .chapter = "ch09", .provenance = {}, .entries = {}};
  update_expectations(expectations, run, false);
  return expectations;
}

class ExpectationFile : public ::testing::Test {
 protected:
  ExpectationFile() : path_(folder_.path() / "expectations_h200.json") {
    save_expectations(path_, from_run(small_run("run-1")));
  }

  // The refusal's line, having seen that it is one line with the file's name and the right exit.
  std::string refused() const {
    const auto refusal = refusal_of([&] { load_expectations(path_); });
    const std::string line = refusal.what();
    EXPECT_EQ(refusal.exit(), base::Exit::environment) << line;
    EXPECT_NE(line.find("expectations_h200.json"), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    return line;
  }

  void expect_refused(const json& document, const std::string& expected) const {
    write_text(path_, document.dump());
    const std::string line = refused();
    EXPECT_NE(line.find(expected), std::string::npos) << line;
  }

  TemporaryFolder folder_;
  std::filesystem::path path_;
};

TEST_F(ExpectationFile, ComesBackAsItWas) {
  const Expectations written = from_run(small_run("run-2", 3.3333333333333335, 0.1, 0.4, 9));
  save_expectations(path_, written);
  EXPECT_EQ(load_expectations(path_), written);
}

TEST_F(ExpectationFile, IsAsItsSchemaSaysAndStableToTheByte) {
  const std::string text = text_of(path_);
  const std::string schema =
      text_of(std::filesystem::path(AISP_SOURCE_DIR) / "lab/expect/expectations.schema.json");
  EXPECT_EQ(schema_violations(schema, json::parse(text)), std::vector<std::string>{});
  save_expectations(path_, *load_expectations(path_));
  EXPECT_EQ(text_of(path_), text);
  EXPECT_EQ(text.rfind("{\n  \"schema\": 2,\n  \"hardware\": \"h200\",\n", 0), 0u) << text;
  EXPECT_EQ(text.back(), '\n');
  EXPECT_NE(text.find("\n        \"median_ms\": 1.0,\n"), std::string::npos) << text;
}

// As every file before counts were kept.
TEST_F(ExpectationFile, OfSchemaOneLoadsWithoutCountsAndIsWrittenAsTheNewest) {
  json document = json::parse(text_of(path_));
  document["schema"] = 1;
  write_text(path_, document.dump());
  const auto loaded = load_expectations(path_);
  ASSERT_TRUE(loaded.has_value());
  EXPECT_TRUE(loaded->find(entry, "one_pass")->counts.empty());
  EXPECT_EQ(loaded, from_run(small_run("run-1")));
  save_expectations(path_, *loaded);
  EXPECT_EQ(json::parse(text_of(path_))["schema"], 2);
}

TEST_F(ExpectationFile, KeepsCountsAsWholeNumbers) {
  Expectations counted = from_run(small_run("run-1"));
  auto& time = counted.entries[entry]["one_pass"];
  time.counts = {{Count::instructions, 123456789012}, {Count::bank_conflicts, 0}};
  time.host_share = 0.62;
  counted.provenance["run-1"].simulated = "4 multiprocessors";
  counted.provenance["run-1"].seed = 18446744073709551615u;
  save_expectations(path_, counted);
  EXPECT_EQ(load_expectations(path_), counted);
  EXPECT_NE(text_of(path_).find("\"instructions\": 123456789012,\n"), std::string::npos);
}

TEST_F(ExpectationFile, SaysWhereItsTimesCameFrom) {
  const auto document = json::parse(text_of(path_));
  const json& from = document["provenance"]["run-1"];
  EXPECT_EQ(from["commit"], "abc123");
  EXPECT_EQ(from["device"], "NVIDIA H200");
  EXPECT_EQ(from["driver"], "580.1");
  EXPECT_EQ(from["runtime"], "13.0");
  EXPECT_EQ(from["samples"], 16);
  EXPECT_EQ(from["sm_mhz"], 1903.5);
  EXPECT_EQ(document["entries"][entry]["one_pass"]["run"], "run-1");
}

TEST_F(ExpectationFile, MissingIsNothing) {
  EXPECT_EQ(load_expectations(folder_.path() / "expectations_a100.json"), std::nullopt);
}

TEST_F(ExpectationFile, CutShortAnywhereIsRefused) {
  const std::string text = text_of(path_);
  for (std::size_t size = 0; size + 2 < text.size(); size += 13) {
    write_text(path_, text.substr(0, size));
    const std::string line = refused();
    EXPECT_NE(line.find(base::say("not JSON (", size, " bytes")), std::string::npos) << line;
    EXPECT_NE(line.find("--update-expectations"), std::string::npos) << line;
  }
}

TEST_F(ExpectationFile, AnotherVersionIsRefusedAsSuch) {
  for (const int version : {0, 3, 99}) {
    json document = json::parse(text_of(path_));
    document["schema"] = version;
    document.erase("entries");  // a version of its own may look different
    expect_refused(document, base::say("schema ", version, ", this aisp reads schemas 1 to 2"));
  }
}

TEST_F(ExpectationFile, WhatTheSchemaForbidsIsRefusedWithItsPlace) {
  const json good = json::parse(text_of(path_));
  const std::pair<const char*, json> changes[] = {
      {"/entries/X/one_pass/median_ms", "1.0"},
      {"/entries/X/one_pass/median_ms", 0},
      {"/entries/X/one_pass/median_ms", -1.0},
      {"/entries/X/one_pass/tolerance", -0.1},
      {"/entries/X/one_pass/samples", 0},
      {"/entries/X/one_pass/samples", 2.5},
      {"/entries/X/one_pass/tolerence", 0.5},
      {"/entries/X/one_pass", json::array()},
      {"/entries/X", json::object()},
      {"/provenance/run-1/command", "aisp"},
      {"/hardware", "../../etc"},
      {"/hardware", nullptr},
      {"/chapter", "nine"},
      {"/schema", "1"},
      {"/entries/X/one_pass/counts", json{{"waits", 3}}},
      {"/entries/X/one_pass/counts", json{{"launches", -1}}},
      {"/entries/X/one_pass/counts", json::object()},
      {"/entries/X/one_pass/host_share", "most"},
      {"/entries", nullptr},
  };
  for (const auto& [place, value] : changes) {
    std::string text = place;
    if (const auto x = text.find('X'); x != text.npos)
      text.replace(x, 1, "ch09:memory_bound~11024");  // ~1 is a slash within a name
    json document = good;
    document[json::json_pointer(text)] = value;
    SCOPED_TRACE(document.dump());
    expect_refused(document, "git checkout");
  }
  for (const char* name : {"schema", "hardware", "chapter", "provenance", "entries"}) {
    json document = good;
    document.erase(name);
    expect_refused(document, name);
  }
  for (const json& document : {json(3), json::array(), json(nullptr), json("x")})
    expect_refused(document, "git checkout");
}

TEST_F(ExpectationFile, ThePlaceOfAViolationIsNamed) {
  json document = json::parse(text_of(path_));
  document["entries"][entry]["one_pass"]["median_ms"] = "fast";
  expect_refused(document, "/entries/" + entry + "/one_pass/median_ms");
}

TEST_F(ExpectationFile, ContradictionsAreRefused) {
  const json good = json::parse(text_of(path_));
  json document = good;
  document["hardware"] = "a100";
  expect_refused(document, "its name must be expectations_a100.json");
  document = good;
  document["entries"][entry]["one_pass"]["low_ms"] = 5.0;
  expect_refused(document, "median_ms 1 is not between 5 and 1.01");
  document = good;
  document["entries"][entry]["one_pass"]["run"] = "nobody";
  expect_refused(document, "run \"nobody\" has no provenance");
  document = good;
  document["entries"]["ch10:matmul/64"] = document["entries"][entry];
  expect_refused(document, "entry \"ch10:matmul/64\" is not of ch09");
}

TEST_F(ExpectationFile, AFolderInItsPlaceIsRefused) {
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_NE(refused().find("Is a directory"), std::string::npos);
}

TEST_F(ExpectationFile, AFolderThatIsNotThereIsRefusedWhenSaving) {
  const auto refusal = refusal_of(
      [&] { save_expectations(folder_.path() / "no" / "x.json", from_run(small_run("a"))); });
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  EXPECT_NE(std::string(refusal.what()).find("No such file"), std::string::npos) << refusal.what();
}

TEST(ExpectationsPath, IsBesideTheChapter) {
  EXPECT_EQ(expectations_path("chapters/ch09", "h200"),
            std::filesystem::path("chapters/ch09/expectations_h200.json"));
  EXPECT_EQ(expectations_path("chapters/ch09", "a100-sxm4-80gb"),
            "chapters/ch09/expectations_a100-sxm4-80gb.json");
  for (const char* bad : {"", "../x", "H200", "a b"})
    EXPECT_EQ(refusal_of([&] { expectations_path("chapters/ch09", bad); }).exit(),
              base::Exit::usage)
        << bad;
}

}  // namespace
}  // namespace aisp::lab
