#include "lab/record/run_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "lab/record/journal.hpp"
#include "tests/lab/record/sample_records.hpp"

namespace aisp::lab {
namespace {

std::string journal_text(const RunFile& run) {
  std::string text;
  for (const auto& record : records_of(run)) text += to_line(record);
  return text;
}

// run.json groups by row: order between rows is not kept, everything else is.
RunFile sorted(RunFile run) {
  const auto key = [](const auto& r) { return std::tie(r.entry, r.rung, r.attempt); };
  const auto by_key = [&](const auto& a, const auto& b) { return key(a) < key(b); };
  std::stable_sort(run.checks.begin(), run.checks.end(), by_key);
  std::stable_sort(run.samples.begin(), run.samples.end(), by_key);
  std::stable_sort(run.profiles.begin(), run.profiles.end(), by_key);
  return run;
}

RunFile run_with_everything() {
  RunFile run = small_run("a");
  const std::string entry = run.rows[0].entry;
  run.profiles.push_back(
      {entry, "one_pass", 1, {{"scale_one_pass", {132, 1, 1}, {256, 1, 1}, 32, 0, 0, 0, 12.5}}});
  run.attempts.push_back({entry, 2, {"one_pass"}, 1e6, 8192, "f32 fma"});
  run.samples.push_back(sample_of(entry, "one_pass", 2, 0, 1.5));  // of an attempt without a row
  run.checks.push_back({entry, "one_pass", CheckTime::before, 2, 7, true, 1024, 0, 0, 0, ""});
  run.rows.push_back(row_of(entry, "cublas", 1, RowStatus::skipped, "needs a GPU"));
  run.warning = "torn last line dropped at byte 12";
  return run;
}

TEST(RunFile, AJournalCutAnywhereReadsUpToItsLastWholeLine) {
  const TemporaryFolder folder;
  const std::string whole = journal_text(small_run("a", 4, 1, 0, 2));
  const auto first = whole.find('\n') + 1;
  const auto path = folder.path() / "run.jsonl";
  for (auto size = first; size <= whole.size(); size += 7) {
    write_text(path, whole.substr(0, size));
    const RunFile run = read_run(folder.path());
    EXPECT_EQ(run.header.id, "a");
    const bool torn = whole[size - 1] != '\n';
    EXPECT_EQ(run.warning.empty(), !torn) << size << ' ' << run.warning;
    const auto lines = static_cast<std::size_t>(
        std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size), '\n'));
    EXPECT_EQ(records_of(run).size(), lines) << size;
    EXPECT_EQ(text_of(path).size(), size) << "reading must not change the file";
  }
}

TEST(RunFile, WhatCannotBeReadIsRefusedInOneLine) {
  const TemporaryFolder folder;
  const std::string header = to_line(small_run("a").header);
  std::string newer = header;
  newer.replace(newer.find("\"schema\":1"), 10, "\"schema\":9");
  const std::tuple<const char*, std::string, const char*> files[] = {
      {"empty.jsonl", "", "is empty"},
      {"torn.jsonl", header.substr(0, 30), "holds no whole line"},
      {"newer.jsonl", newer, "run schema 9"},
      {"headless.jsonl", to_line(row_of("e", "r", 1, RowStatus::failed)), "not a run header"},
      {"middle.jsonl", header + "{\"kind\":\"ro\n" + header, "line 2: not JSON"},
      {"twice.jsonl", header + header, "line 2: a second run header"},
      {"unknown.jsonl", header + "{\"kind\":\"frob\"}\n", "line 2: unknown record kind"},
      {"binary.jsonl",
       std::string("\x7f"
                   "ELF\0\0\n",
                   7),
       "holds no whole line"},
      {"cut.json", "{\"schema\": 1, \"run\"", "is not JSON"},
      {"other.json", "{\"name\": 1}", "no field \"schema\""},
      {"newer.json", "{\"schema\": 2}", "run schema 2"},
      {"bare.json", "{\"schema\": 1}", "field \"schema\" is missing"},
      {"list.json", "[]", "not a run document"},
      {"rows.json", "{\"schema\": 1, \"run\": 3}", "field \"run\" must be an object"},
  };
  for (const auto& [name, text, expected] : files) {
    write_text(folder.path() / name, text);
    const auto refusal = refusal_of([&, n = name] { read_run(folder.path() / n); });
    const std::string line = refusal.what();
    EXPECT_EQ(refusal.exit(), base::Exit::environment) << name << ": " << line;
    EXPECT_NE(line.find(expected), std::string::npos) << line;
    EXPECT_NE(line.find(name), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  }
}

TEST(RunFile, APathThatDoesNotExistIsAUsageError) {
  const TemporaryFolder folder;
  for (const auto& path : {folder.path() / "no", folder.path() / "no" / "run.json", folder.path()})
    EXPECT_EQ(refusal_of([&] { read_run(path); }).exit(), base::Exit::usage) << path;
}

TEST(RunFile, TheDocumentHoldsTheWholeRun) {
  const TemporaryFolder folder;
  const RunFile run = run_with_everything();
  write_run_json(folder.path(), run);
  EXPECT_EQ(sorted(read_run(folder.path() / "run.json")), sorted(run));
  EXPECT_EQ(sorted(read_run(folder.path())), sorted(run)) << "a folder with run.json alone";
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(RunFile, TheJournalIsBelievedBeforeTheDocument) {
  const TemporaryFolder folder;
  write_run_json(folder.path(), small_run("document"));
  write_text(folder.path() / "run.jsonl", journal_text(small_run("journal")));
  EXPECT_EQ(read_run(folder.path()).header.id, "journal");
}

TEST(RunFile, ADocumentThatCannotBeWrittenSaysWhereToWriteInstead) {
  const TemporaryFolder folder;
  const auto refusal = refusal_of([&] { write_run_json(folder.path() / "no", small_run("a")); });
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  EXPECT_NE(std::string(refusal.what()).find("--out DIR"), std::string::npos) << refusal.what();
}

TEST(RunFile, AResumedRunHasNotEndedYet) {
  RunFile run = small_run("a");
  add_record(run, run.attempts[0]);
  EXPECT_FALSE(run.end.has_value());
}

TEST(LatestRows, TheHighestAttemptSpeaksInTheOrderOfThePlan) {
  RunFile run = small_run("a");
  const std::string entry = run.rows[0].entry;
  run.rows = {row_of(entry, "extra", 1, RowStatus::measured),
              row_of(entry, "one_pass", 2, RowStatus::measured),
              row_of(entry, "one_pass", 1, RowStatus::failed),
              row_of(entry, "baseline", 1, RowStatus::failed),
              row_of(entry, "baseline", 1, RowStatus::wrong)};
  const auto rows = latest_rows(run);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(base::say(rows[0].rung, " ", name_of(rows[0].status)), "baseline wrong");
  EXPECT_EQ(base::say(rows[1].rung, " ", name_of(rows[1].status)), "one_pass measured");
  EXPECT_EQ(rows[2].rung, "extra");
}

TEST(EntryComplete, NeedsARowForEveryPlannedRung) {
  RunFile run = small_run("a");
  const std::string entry = run.rows[0].entry;
  EXPECT_TRUE(entry_complete(run, entry));
  EXPECT_FALSE(entry_complete(run, "ch09:other/1"));
  run.rows.pop_back();
  EXPECT_FALSE(entry_complete(run, entry));
  run.rows.push_back(row_of(entry, "one_pass", 3, RowStatus::failed, "illegal address"));
  EXPECT_TRUE(entry_complete(run, entry));
}

}  // namespace
}  // namespace aisp::lab
