// `aisp demo` as the user meets it: listed, run, refused, interrupted, and honest about wrong
// numbers.
#include "app/demo/demo_command.hpp"

#include <set>
#include <sstream>

#include "lab/case/registry.hpp"
#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

TEST(Demonstrations, NameTargetsThatAreThere) {
  std::set<std::string> chapters;
  for (const auto& one : app::all_demonstrations()) {
    chapters.insert(one.chapter);
    const auto found = select_targets(one.target);
    ASSERT_EQ(found.size(), 1u) << one.target;
    EXPECT_EQ(found[0].target->chapter, one.chapter);
    EXPECT_FALSE(one.words.empty()) << one.title;
  }
  EXPECT_TRUE(chapters.contains("ch10"));
}

// A made-up run of the storage target: what a page says with and without a GPU.
RunFile storage_run(bool simulated) {
  const std::string entry = "ch10:gpudirect_storage/1024";
  RunFile run;
  run.header.plan = {
      {entry, "ch10:gpudirect_storage", "", {1024}, {"read_then_copy", "direct_ring"}}};
  run.device = DeviceRecord{.hardware = "h200", .name = "NVIDIA H200", .simulated = simulated};
  run.attempts = {{.entry = entry, .attempt = 1, .rungs = {}, .bytes = 4.5e9}};
  RowRecord row{
      .entry = entry, .rung = "read_then_copy", .attempt = 1, .status = RowStatus::measured};
  row.note = "path: page cache; dd-style reading gives 2.00 GB/s";
  row.samples = 7;
  row.median_ms = 2000;
  row.speedup = 1;
  run.rows.push_back(row);
  row.rung = "direct_ring";
  row.note = "path: O_DIRECT; dd-style reading gives 2.00 GB/s";
  row.median_ms = 1000;
  row.speedup = 2;
  row.verdict = Verdict::faster;
  run.rows.push_back(row);
  return run;
}

std::string page_of(const RunFile& run) {
  std::vector<app::Demonstration> storage;
  for (const auto& one : app::all_demonstrations())
    if (one.target == "ch10:gpudirect_storage") storage.push_back(one);
  std::ostringstream out;
  app::print_demonstrations(run, storage, out);
  return out.str();
}

void expect_part(const std::string& text, const std::string& part, bool there = true) {
  EXPECT_EQ(text.find(part) != std::string::npos, there) << part << " in\n" << text;
}

TEST(DemoReport, SaysWhichPathRanAndHowFast) {
  const std::string page = page_of(storage_run(false));
  expect_part(page, "1. Storage overlap: ");
  expect_part(page, "direct_ring: path: O_DIRECT; dd-style reading gives 2.00 GB/s\n");
  expect_part(page, "1.00 s     2.00x  4.50");
  expect_part(page,
              "The numbers of every rung are right. direct_ring takes 1.00 s where read_then_copy "
              "takes 2.00 s:\n2.00 times as fast.\n");
}

TEST(DemoReport, ACountedTimeIsNoSpeed) {
  RunFile run = storage_run(true);
  run.rows[0].counts = {{Count::overlap, 0}};
  run.rows[1].counts = {{Count::overlap, 75}};
  const std::string page = page_of(run);
  expect_part(page, "overlap 0 % -> 75 %");
  expect_part(page, "Nothing was timed: the simulator counts what a rung does");
  expect_part(page, "1.00 s", false);
  expect_part(page, "speed-up", false);
  expect_part(page, "GB/s\n2", false);
  expect_part(page, "times as fast", false);
}

TEST(DemoReport, SaysWhyNoCountShowsTheIdea) {
  RunFile run = storage_run(true);
  const std::string entry = "ch10:coherent_memory/65536x4096";
  run.header.plan = {{entry, "ch10:coherent_memory", "", {65536, 4096}, {"pinned_copies"}}};
  run.attempts[0].entry = entry;
  run.rows.resize(1);
  run.rows[0].entry = entry, run.rows[0].rung = "pinned_copies";
  std::ostringstream out;
  app::print_demonstrations(run, {{.chapter = "ch10", .target = "ch10:coherent_memory"}}, out);
  expect_part(out.str(), "No count of the simulator shows the idea: the link to the host");
  expect_part(out.str(), "times as fast", false);
}

TEST(DemoReport, DoesNotPraiseWhatDidNotRunOrIsNotFaster) {
  RunFile run = storage_run(false);
  run.rows[1].verdict = Verdict::ambiguous;
  expect_part(page_of(run), "the\nsamples cannot tell them apart (ambiguous).");
  std::swap(run.rows[0].median_ms, run.rows[1].median_ms);
  expect_part(page_of(run), "Here none is faster than read_then_copy with 1.00 s.");
  run.rows[0] = run.rows[1] = RowRecord{.entry = run.rows[0].entry, .attempt = 1};
  run.rows[0].rung = "read_then_copy", run.rows[1].rung = "direct_ring";
  for (auto& row : run.rows) row.status = RowStatus::skipped, row.reason = "the disk is full";
  const std::string page = page_of(run);
  expect_part(page, "direct_ring: skipped: the disk is full\nNothing could run here: see above.");
}

class DemoCommand : public FixtureTest {};

TEST_F(DemoCommand, ListsTheChapters) {
  const auto outcome = run({"demo"});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.out,
            "aisp demo fx\n  Doubling (fx:good)\n  Napping (fx:slow)\n"
            "aisp demo bad\n  Lying (fx:wrong)\n"
            "aisp demo sheet\n  On a device (fxsheet:sheet)\n");
}

TEST_F(DemoCommand, RunsItsTargetsAndSaysWhatCameOut) {
  const auto outcome = run({"demo", "fx", "--quick"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  expect_part(outcome.out, "1. Doubling: both rungs are right\n\nTwice a number is the number and");
  expect_part(outcome.out, "\n\n2. Napping: rungs that take their time\n");
  expect_part(outcome.out, "nap     a fixture");
  EXPECT_TRUE(outcome.last_line().starts_with("good: 4 rows: 4 measured; runs/")) << outcome.out;
  const RunFile run = recorded();
  ASSERT_TRUE(run.end.has_value());
  EXPECT_EQ(name_of(run.end->status), "complete");
  EXPECT_EQ(row_in(run, "fx:slow/64", "nap").samples, 7);
}

TEST_F(DemoCommand, WrongNumbersAreSaidAndExit3) {
  const auto outcome = run({"demo", "bad", "--quick", "--out", "elsewhere"});
  EXPECT_EQ(outcome.exit, 3);
  expect_part(outcome.out, "1 of 2 rungs went wrong: see above.");
  expect_part(outcome.out, "times as fast", false);
  EXPECT_TRUE(outcome.last_line().starts_with("wrong: 2 rows: ")) << outcome.out;
  EXPECT_TRUE(std::filesystem::is_directory(folder() / "elsewhere"));
}

TEST_F(DemoCommand, KeepsWhatItHasWhenInterrupted) {
  const auto program = start({"demo", "fx", "--quick"});
  ASSERT_TRUE(eventually([&] { return !program->children().empty(); }));
  program->send(SIGINT);
  const auto outcome = program->wait();
  if (outcome.exit == 0) return;  // it was done before the signal came
  EXPECT_EQ(outcome.exit, 130) << outcome.err;
  expect_part(outcome.last_line(), "; go on with: aisp bench run --resume runs/");
}

TEST_F(DemoCommand, RefusesBadWords) {
  for (const auto& [words, part] : std::vector<std::pair<Words, std::string>>{
           {{"ch10"}, "no demonstrations for 'ch10'; there are some for fx, bad"},
           {{"bat"}, "did you mean 'aisp demo bad'? "},
           {{"fx", "bad"}, "demo takes one chapter, not 'fx' and 'bad'"},
           {{"fx", "--quik"}, "demo has no option --quik; did you mean --quick?"},
           {{"fx", "--xyzzy"}, "demo has no option --xyzzy; see 'aisp demo --help'"},
           {{"fx", "--out"}, "demo --out needs a value"}})
    expect_refused(run(Words{"demo"} + words), 2, part);
}

}  // namespace
}  // namespace aisp::lab
