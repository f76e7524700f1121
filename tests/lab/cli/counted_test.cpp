// CountValues of a simulated run as a gate: a kernel that does more of anything exits 1, by name.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/refuse.hpp"
#include "lab/expect/expectations.hpp"
#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

const std::string entry = "fxgpu:counted/256";
const Words update{"--update-expectations"};

class Counted : public FixtureTest {
 protected:
  Counted() : folder_(chapter().parent_path() / "fxgpu") {
    std::filesystem::create_directories(folder_);
  }
  ~Counted() override { ::unsetenv("AISP_FIXTURE_WASTE"); }

  // Runs the target with a rung that does too much of one thing.
  Outcome bench_wasting(const std::string& waste, const Words& more = {}) {
    ::setenv("AISP_FIXTURE_WASTE", waste.c_str(), 1);
    return run(bench("fxgpu:counted") + Words{"--quick", "--device", "sim:h200,sms=4"} + more);
  }
  std::filesystem::path file() const { return folder_ / "expectations_h200-simulated.json"; }
  CountValues counts() const { return load_expectations(file())->find(entry, "double")->counts; }

  std::filesystem::path folder_;
};

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << " is not in:\n" << text;
}

TEST_F(Counted, EveryCountThatGrowsIsARegressionByNameAndIsNotWrittenByItself) {
  ASSERT_EQ(bench_wasting("", update).exit, 0);
  EXPECT_EQ(bench_wasting("").exit, 0) << "the same again";
  const std::string good = text_of(file());
  const CountValues before = counts();
  EXPECT_EQ(before.size(), 7u) << "all but waits and overlap";
  for (const Count count :
       {Count::launches, Count::instructions, Count::l2_bytes, Count::distinct_bytes,
        Count::wavefronts, Count::bank_conflicts, Count::tensor_operations}) {
    const std::string name(name_of(count));
    SCOPED_TRACE(name);
    const Outcome worse = bench_wasting(name);
    EXPECT_EQ(worse.exit, 1) << worse.out;
    expect_part(worse.out, entry + " double: regression, ");
    expect_part(worse.out,
                base::say(name, ' ', static_cast<std::int64_t>(before.at(count)), " -> "));
    const Outcome kept = bench_wasting(name, update);
    EXPECT_EQ(kept.exit, 1) << kept.out;
    expect_part(kept.out, "kept: " + entry + " double: regression, ");
    const auto first = kept.out.find("double: regression, ");
    EXPECT_EQ(kept.out.find("double: regression, ", first + 1), std::string::npos)
        << "named twice:\n"
        << kept.out;
    expect_part(kept.out, "1 worse row was not written; --accept-regressions writes it");
    EXPECT_EQ(text_of(file()), good);
  }
}

TEST_F(Counted, AcceptedItIsWrittenAndSaysWhatGotWorse) {
  ASSERT_EQ(bench_wasting("", update).exit, 0);
  const double before = counts().at(Count::l2_bytes);
  const Outcome accepted = bench_wasting("L2 bytes", update + Words{"--accept-regressions"});
  EXPECT_EQ(accepted.exit, 0) << accepted.out;
  // Read five times instead of once and written once: 256 x 4 x 6 bytes against 256 x 4 x 2.
  expect_part(accepted.out, "written: worse, " + entry + " double: ");
  expect_part(accepted.out, "L2 bytes 2048 -> 6144 (+200.0 %)");
  EXPECT_EQ(counts().at(Count::l2_bytes), 3 * before);
  EXPECT_EQ(bench_wasting("L2 bytes").exit, 0);

  // Back to what it was: an improvement, which is reported and taken over.
  const Outcome better = bench_wasting("", update);
  EXPECT_EQ(better.exit, 0) << better.out;
  expect_part(better.out, entry + " double: improvement, ");
  expect_part(better.out, "L2 bytes 6144 -> 2048 (-66.7 %)");
  EXPECT_EQ(counts().at(Count::l2_bytes), before);
}

// Fewer instructions do not make up for more bytes.
TEST_F(Counted, ABetterCountIsNamedBesideAWorseOne) {
  ASSERT_EQ(bench_wasting("instructions", update).exit, 0);
  const Outcome mixed = bench_wasting("L2 bytes");
  EXPECT_EQ(mixed.exit, 1) << mixed.out;
  expect_part(mixed.out, "regression, instructions ");
  expect_part(mixed.out, "L2 bytes 2048 -> 6144 (+200.0 %)");
}

TEST_F(Counted, AFileWithoutCountsLoadsAndSaysThatNoneIsJudged) {
  ASSERT_EQ(bench_wasting("", update).exit, 0);
  auto old = nlohmann::json::parse(text_of(file()));
  old["schema"] = 1;
  old["entries"][entry]["double"].erase("counts");
  write_text(file(), old.dump());
  // A bank conflict does not change the estimated time, which is all that such a file has.
  const Outcome passed = bench_wasting("bank conflicts");
  EXPECT_EQ(passed.exit, 0) << passed.out;
  expect_part(passed.out, "1 expected times have no counts, so none was judged");
  ASSERT_EQ(bench_wasting("", update).exit, 0);
  EXPECT_EQ(bench_wasting("bank conflicts").exit, 1);
}

TEST_F(Counted, AnotherSeedIsNotCompared) {
  ASSERT_EQ(bench_wasting("", update).exit, 0);
  const Outcome other = bench_wasting("launches", {"--seed", "3"});
  EXPECT_EQ(other.exit, 0) << other.out;
  expect_part(other.out, "nothing was compared with expectations: 1 were taken with another");
}

TEST_F(Counted, ShowPrintsThemAndNoSpeedUp) {
  ASSERT_EQ(bench_wasting("", update).exit, 0);
  const auto shown = run({"expectations", "show", "fxgpu"});
  EXPECT_EQ(shown.exit, 0) << shown.err;
  expect_part(shown.out, "instructions (1 %)");
  expect_part(shown.out, "tensor operations");
  expect_part(shown.out, "fxgpu on h200-simulated: counts are judged; times are estimated");
  expect_part(shown.out, "time, estimated from counts");
  expect_part(shown.out, "not judged (its counts are)");
  for (const char* part : {"speed-up", "median", "1.00x"})
    EXPECT_EQ(shown.out.find(part), std::string::npos) << part << '\n' << shown.out;
}

TEST_F(Counted, CheckOfARecordedRunNamesCountsAndNoTime) {
  ASSERT_EQ(bench_wasting("", update).exit, 0);
  const auto good = run({"expectations", "check", run_folder().filename().string()});
  EXPECT_EQ(good.exit, 0) << good.out << good.err;
  EXPECT_EQ(good.out, entry +
                          " double: as expected, every count is within its tolerance\n"
                          "good: 1 rung compared by counts\n");
  std::filesystem::remove_all(runs());
  ASSERT_EQ(bench_wasting("L2 bytes").exit, 1);
  const auto worse = run({"expectations", "check", run_folder().filename().string()});
  EXPECT_EQ(worse.exit, 1) << worse.out << worse.err;
  expect_part(worse.out, "L2 bytes 2048 -> 6144 (+200.0 %)");
  EXPECT_EQ(worse.out.find(" us"), std::string::npos) << worse.out;
}

}  // namespace
}  // namespace aisp::lab
