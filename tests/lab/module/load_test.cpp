// Modules as users bring them: targets beside the program's own, and every way to be no module.
#include <elf.h>

#include <cstring>

#include "lab/case/names.hpp"
#include "lab/expect/expectations.hpp"
#include "lab/module/probe.hpp"
#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

namespace fs = std::filesystem;

std::string built(const std::string& name) {
  return std::string(AISP_MODULES) + "/lib" + name + ".so";
}

class Modules : public FixtureTest {
 protected:
  // A copy that a test may spoil; expectations are kept beside it.
  fs::path copy(const std::string& name, const std::string& as = "") {
    const fs::path file = folder() / ("lib" + (as.empty() ? name : as) + ".so");
    fs::copy_file(built(name), file);
    return file;
  }
};

TEST_F(Modules, TargetsAreListedAndRunBesideTheProgramsOwn) {
  const auto listed = run({"bench", "list-targets", "--load", built("steady")});
  EXPECT_EQ(listed.exit, 0) << listed.err;
  EXPECT_NE(listed.out.find("steady:good  y = x + x"), std::string::npos) << listed.out;
  EXPECT_NE(listed.out.find("fx:good"), std::string::npos) << listed.out;

  const auto outcome =
      run(bench("steady:good,fx:slow") + briefly + Words{"--load", built("steady")});
  EXPECT_EQ(outcome.exit, 0) << outcome.out << outcome.err;
  const RunFile run = recorded();
  for (const auto* rung : {"double", "add"})
    EXPECT_EQ(row_in(run, "steady:good/64", rung).status, RowStatus::measured);
  EXPECT_EQ(row_in(run, "fx:slow/64", "double").status, RowStatus::measured);
  ASSERT_EQ(run.header.modules.size(), 1u);
  EXPECT_EQ(run.header.modules[0].name, "steady");
  EXPECT_EQ(run.header.modules[0].file, fs::canonical(built("steady")).string());
  EXPECT_EQ(run.header.modules[0].digest.size(), 64u);
}

TEST_F(Modules, WithoutItItsTargetsAreUnknown) {
  expect_refused(run(bench("steady:good") + briefly), 2, "unknown chapter 'steady'");
}

TEST_F(Modules, WhatIsThrownOnOneSideIsCaughtOnTheOther) {
  const auto outcome = run(bench("steady:refusing,steady:failing,steady:asking,steady:good") +
                           briefly + Words{"--load", built("steady")});
  EXPECT_EQ(outcome.exit, 3) << outcome.out << outcome.err;
  const RunFile run = recorded();
  EXPECT_NE(row_in(run, "steady:refusing/64", "refuse").reason.find("N must be odd: got 64"),
            std::string::npos);
  EXPECT_NE(row_in(run, "steady:failing/64", "give_up").reason.find("the module's own error"),
            std::string::npos);
  EXPECT_NE(row_in(run, "steady:asking/64", "greedy").reason.find("caught in the module: "),
            std::string::npos);
  EXPECT_EQ(row_in(run, "steady:good/64", "add").status, RowStatus::measured);
}

TEST_F(Modules, APeerStandsBesideAnothersLadder) {
  const auto outcome = run(bench("fx:good") + briefly + Words{"--load", built("steady")});
  EXPECT_EQ(outcome.exit, 0) << outcome.out << outcome.err;
  const RowRecord row = row_in(recorded(), "fx:good/64", "steady_peer");
  EXPECT_EQ(row.status, RowStatus::measured);
  EXPECT_TRUE(row.peer);
}

TEST_F(Modules, OtherCommandsTakeThemToo) {
  const Words load{"--load", built("steady")};
  EXPECT_EQ(run(Words{"sweep", "steady:good", "--axis", "N=64:256:x2", "--l2", "hot",
                      "--iterations", "5", "--warmup", "1"} +
                load)
                .exit,
            0);
  EXPECT_EQ(latest_rows(recorded()).size(), 1 + 6u)
      << "an empty launch, and two rungs of three sizes";
  const fs::path swept = run_folder();
  EXPECT_EQ(run({"sweep", "--resume", swept.string()}).exit, 0) << "the run knows its modules";
  fs::remove_all(runs());
  EXPECT_EQ(run(Words{"compare", "steady", "--quick", "--examples", "good"} + load).exit, 0);
  EXPECT_EQ(latest_rows(recorded()).size(), 2u);
  const auto history = run(Words{"history", "steady:good"} + load);
  EXPECT_EQ(history.exit, 0) << history.err;
  EXPECT_NE(history.out.find("steady:good/64"), std::string::npos) << history.out;
}

TEST_F(Modules, ExpectationsAreKeptBesideTheModule) {
  const fs::path file = copy("steady"), expected = folder() / "expectations_host.json";
  const Words words = bench("steady:good") + briefly + Words{"--load", file.string()};
  const auto first = run(words + Words{"--update-expectations"});
  ASSERT_EQ(first.exit, 0) << first.err;
  EXPECT_NE(first.out.find("2 times written to " + expected.string()), std::string::npos)
      << first.out;
  const auto checked = run({"expectations", "check", run_folder().string()});
  EXPECT_EQ(checked.exit, 0) << checked.err;
  EXPECT_EQ(checked.last_line(), "good: 2 times compared");
  const auto shown = run({"expectations", "show", "steady", "--load", file.string()});
  EXPECT_NE(shown.out.find("steady on host"), std::string::npos) << shown.out << shown.err;

  auto times = load_expectations(expected);
  ASSERT_TRUE(times.has_value());
  auto& time = times->entries["steady:good/64"]["add"];
  time.median_ms = time.low_ms = time.high_ms = 1e-9;
  save_expectations(expected, *times);
  const auto slower = run(words);
  EXPECT_EQ(slower.exit, 1) << slower.out;
  EXPECT_NE(slower.out.find("steady:good/64 add: regression, "), std::string::npos) << slower.out;
}

TEST_F(Modules, OneThatGoesAwayIsARowAndNothingIsLost) {
  const fs::path file = copy("steady");
  const auto outcome =
      run(bench("steady:leaving,steady:staying") + briefly + Words{"--load", file.string()},
          [&] { setenv("STEADY_FILE", file.c_str(), 1); });
  EXPECT_EQ(outcome.exit, 3) << outcome.out << outcome.err;
  const RunFile run = recorded();
  EXPECT_EQ(row_in(run, "steady:leaving/64", "remove").status, RowStatus::measured);
  const RowRecord left = row_in(run, "steady:staying/64", "add");
  EXPECT_EQ(left.status, RowStatus::failed);
  EXPECT_NE(left.reason.find("libsteady.so: is gone since the run began"), std::string::npos)
      << left.reason;
}

TEST_F(Modules, ARunGoesOnWithTheSameCodeOrNotAtAll) {
  const fs::path file = copy("steady");
  ASSERT_EQ(run(bench("steady:good") + briefly + Words{"--load", file.string()}).exit, 0);
  const Words resume{"bench", "run", "--resume", run_folder().string()};
  EXPECT_EQ(run(resume).exit, 0);
  write_text(file, text_of(file) + "another build");
  expect_refused(run(resume), 2, "which you have not given to --load as it is now");
  expect_refused(run(resume + Words{"--trust-library"}), 4,
                 "has changed since the run began; start a new run");
  fs::remove(file);
  expect_refused(run(resume), 4, "is gone since the run began");
}

TEST_F(Modules, TheSameTwiceIsOnceAndTwoOfOneNameAreRefused) {
  const fs::path file = copy("steady"), other = copy("steady", "copied");
  const Words words = bench("steady:good") + briefly + Words{"--load", file.string()};
  EXPECT_EQ(run(words + Words{"--load", file.string()}).exit, 0);
  expect_refused(run(words + Words{"--load", other.string()}), 4,
                 "its name 'steady' is that of a chapter or module that is there");
}

struct Bad {
  std::string name, why;
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name; }

class BadModule : public Modules, public testing::WithParamInterface<Bad> {};

TEST_P(BadModule, IsRefusedInOneLine) {
  const auto& [name, why] = GetParam();
  expect_refused(run(bench("fx:good") + briefly + Words{"--load", built(name)}), 4, why);
  EXPECT_TRUE(run_folders().empty());
}

INSTANTIATE_TEST_SUITE_P(
    Fixtures, BadModule,
    testing::Values(
        Bad{"empty", "announces no target; each is a folder with a case.cpp below "},
        Bad{"fx", "its name 'fx' is that of a chapter or module that is there"},
        Bad{"misnamed", "announces another:own, but its targets are misnamed:…"},
        Bad{"meddling", "announces the rung better of fx:good, which is not its own"},
        Bad{"contradicting", "contradicting:own/two is on step 0, where 'one' is"},
        Bad{"crashing", "it crashes when it is loaded, killed by SIGSEGV"},
        Bad{"throwing", "killed by SIGABRT: "}, Bad{"throwing", "no licence for these kernels"},
        Bad{"exiting", "it ends the process when it is loaded, exit code 5"},
        Bad{"other_version", "was built against aisp 0.0.1 (interface 0123456789ab), this is "},
        Bad{"no_face", "is a shared library but no module of aisp; build it with aisp_add_targets"},
        Bad{"not_there", "there is no such file (No such file or directory)"}));

TEST_F(Modules, OneThatNeverReturnsIsGivenUp) {
  EXPECT_EQ(problem_with_loading(built("hanging"), std::chrono::milliseconds(200)),
            "its constructors did not return within 0.2 s");
  EXPECT_EQ(problem_with_loading(built("steady")), "");
}

TEST_F(Modules, FilesThatAreNoLibrariesAreRefused) {
  const auto refused = [&](const fs::path& file, const std::string& why) {
    expect_refused(run(bench("fx:good") + briefly + Words{"--load", file.string()}), 4, why);
  };
  write_text(folder() / "notes.so", "not a library");
  refused(folder() / "notes.so", "notes.so: is no shared library");
  write_text(folder() / "empty.so", "");
  refused(folder() / "empty.so", "empty.so: is empty or cannot be read");
  refused(folder(), "is no file");

  std::string other = text_of(built("steady"));
  Elf64_Ehdr header{};
  std::memcpy(&header, other.data(), sizeof header);
  header.e_machine = header.e_machine == EM_X86_64 ? EM_AARCH64 : EM_X86_64;
  std::memcpy(other.data(), &header, sizeof header);
  write_text(folder() / "other.so", other);
  refused(folder() / "other.so", header.e_machine == EM_AARCH64
                                     ? "is for AArch64, this program for x86-64"
                                     : "is for x86-64, this program for AArch64");
  write_text(folder() / "cut.so", text_of(built("steady")).substr(0, 2000));
  refused(folder() / "cut.so", "cut.so: ");
}

TEST_F(Modules, AreForTargetsNotForPrograms) {
  expect_refused(run({"check", "--load", built("steady"), "--", "/bin/true"}), 2,
                 "--load brings targets; say with --targets which of them");
}

}  // namespace
}  // namespace aisp::lab
