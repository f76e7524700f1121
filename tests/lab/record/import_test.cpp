// Runs of several machines in one folder.
#include "lab/record/import.hpp"

#include <gtest/gtest.h>

#include "lab/record/history.hpp"
#include "lab/record/journal.hpp"
#include "tests/lab/record/sample_records.hpp"

namespace aisp::lab {
namespace {

std::filesystem::path written(const std::filesystem::path& folder, RunFile run,
                              const std::string& host) {
  run.device->host = host;
  Journal journal(folder / run.header.id, Journal::Open::fresh);
  journal.append(records_of(run));
  return folder / run.header.id;
}

TEST(Import, KeepsEqualIdsOfTwoMachinesApart) {
  const TemporaryFolder folder;
  const auto one = written(folder.path() / "one", small_run("same", 4, 1, 0.1), "node1");
  const auto two = written(folder.path() / "two", small_run("same", 5, 2, 0.1), "node2");
  const auto out = folder.path() / "runs";
  std::filesystem::create_directories(out);
  EXPECT_EQ(import_run(one, out).id, "same");
  EXPECT_EQ(import_run(two, out).id, "same-node2");
  EXPECT_TRUE(import_run(one, out).known);
  EXPECT_TRUE(import_run(two / "run.jsonl", out).known);
  EXPECT_EQ(History(out / history_name).rows(std::nullopt, 100).size(), 4U);
  const RunFile back = read_run(out / "same-node2");
  EXPECT_EQ(back.header.id, "same-node2");
  EXPECT_EQ(back.rows, read_run(two).rows);
  EXPECT_EQ(back.samples, read_run(two).samples);
}

TEST(Import, LeavesNoFolderThatIsNotItsOwn) {
  const TemporaryFolder folder;
  RunFile run = small_run("a");
  run.header.id = "../../outside";
  const auto source = folder.path() / "source";
  {
    Journal journal(source, Journal::Open::fresh);
    journal.append(records_of(run));
  }
  const auto out = folder.path() / "runs";
  std::filesystem::create_directories(out);
  const Imported imported = import_run(source, out);
  EXPECT_EQ(imported.id, "..-..-outside");
  EXPECT_EQ(imported.folder.parent_path(), out);
}

}  // namespace
}  // namespace aisp::lab
