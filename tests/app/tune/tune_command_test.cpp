// `aisp tune gemm` with products on the host: what is measured, kept, refused and interrupted.
#include "app/tune/tune_options.hpp"
#include "tests/fixtures/host_tuner.hpp"
#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

using tile::device::TunedTable;

class TuneGemm : public FixtureTest {
 protected:
  const tile::device::TunedDevice host_ = fixture::HostTuner().identity();

  Outcome tune(const Words& words) { return run(Words{"tune", "gemm", "--samples", "5"} + words); }
  std::filesystem::path file() const {
    return folder() / "home" / "tuned" / "host_processor-2-13000-0.2.0.txt";
  }
  TunedTable kept() const { return tile::device::read_tuned(file(), host_); }
  std::string recipe_of(const Size& size) const {
    const TunedTable table = kept();
    const auto* choice = table.find(app::key_of(size));
    return choice == nullptr ? "" : choice->recipe;
  }
};

TEST_F(TuneGemm, KeepsTheFastestOfTheRightOnes) {
  const auto outcome = tune({"--sizes", "65", "16", "32", "33", "24", "64"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err << outcome.out;
  EXPECT_EQ(outcome.last_line(), "good: 2 of 2 sizes tuned; " + file().string());
  EXPECT_EQ(recipe_of({"bf16", {65, 16, 32}}), "direct");
  EXPECT_EQ(recipe_of({"bf16", {33, 24, 64}}), "direct");
  for (const auto& [key, choice] : kept().gemm) {
    EXPECT_EQ(tile::device::text_of(choice.raster), "m8");
    EXPECT_EQ(choice.splits, 2);
    EXPECT_GT(choice.microseconds, 0);
  }
}

TEST_F(TuneGemm, ShowsTheFastestTheLibrarysOwnChoiceAndTheOpponent) {
  const auto outcome = tune({"--sizes", "32x16x32", "--against", "rival", "--dtype", "fp16"});
  const auto lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 5u) << outcome.out << outcome.err;
  EXPECT_TRUE(lines[0].starts_with("size ")) << lines[0];
  EXPECT_NE(lines[1].find("fp16 32x16x32  repeated "), std::string::npos) << lines[1];
  EXPECT_NE(lines[2].find("direct raster m8 splits 2  fastest"), std::string::npos) << lines[2];
  EXPECT_NE(lines[2].find("faster"), std::string::npos) << lines[2];
  EXPECT_NE(lines[3].find("rival "), std::string::npos) << lines[3];
  EXPECT_EQ(recipe_of({"fp16", {32, 16, 32}}), "direct");

  const auto all = tune({"--sizes", "32x16x32", "--candidates"});
  EXPECT_NE(all.out.find("picky: skipped: picky never takes bf16 32x16x32"), std::string::npos);
  EXPECT_NE(all.out.find("hopper: skipped: needs sm_90a; host processor is sm_00"),
            std::string::npos);
}

TEST_F(TuneGemm, AddsToWhatIsThereAndSkipsItWhenAsked) {
  tune({"--sizes", "8x16x32"});
  tune({"--sizes", "8x16x64", "--dtype", "fp8"});
  EXPECT_EQ(kept().gemm.size(), 2u);
  const auto again = tune({"--sizes", "8x16x32,8x8x8", "--missing"});
  EXPECT_EQ(again.last_line(), "good: 1 of 1 sizes tuned; " + file().string());
  EXPECT_EQ(kept().gemm.size(), 3u);
  EXPECT_EQ(tune({"--sizes", "8x8x8", "--missing"}).last_line(),
            "good: every size was tuned before; " + file().string());
}

TEST_F(TuneGemm, AWrongCandidateIsNamedAndNeverKept) {
  const auto outcome = tune({"--sizes", "8x16x96"});
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_NE(outcome.out.find("bf16 8x16x96 careless: wrong: "), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.last_line(), "wrong: 1 of 1 sizes tuned; " + file().string());
  EXPECT_EQ(recipe_of({"bf16", {8, 16, 96}}), "direct");

  const auto failed = tune({"--sizes", "8x16x112"});
  EXPECT_EQ(failed.exit, 3);
  EXPECT_NE(failed.out.find("throwing: failed: no luck"), std::string::npos) << failed.out;
}

TEST_F(TuneGemm, AFileThatCannotBeReadIsRefusedBeforeAnythingIsMeasured) {
  tune({"--sizes", "8x16x32"});
  const std::string good = text_of(file());
  std::ofstream(file()) << good << "gemm m=8 n=\n";
  const auto outcome = tune({"--sizes", "8x16x32"});
  expect_refused(outcome, 4, file().string() + ", line 7: 'n=' with a value belongs where 'n='");
  EXPECT_NE(outcome.err.find("delete the file and run `aisp tune gemm` again"), std::string::npos);
  EXPECT_EQ(text_of(file()), good + "gemm m=8 n=\n");
}

TEST_F(TuneGemm, APlaceThatCannotBeWrittenIsSaid) {
  std::filesystem::create_directories(folder() / "home");
  std::ofstream(folder() / "home" / "tuned") << "in the way";
  const auto outcome = tune({"--sizes", "8x16x32"});
  EXPECT_EQ(outcome.exit, 4);
  EXPECT_NE(outcome.err.find("set AISP_HOME to another folder"), std::string::npos) << outcome.err;
}

TEST_F(TuneGemm, AnInterruptKeepsTheSizesThatAreDone) {
  const auto program = start({"tune", "gemm", "--sizes", "8x16x32,8x16x80", "--samples", "200"});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(file()); }));
  program->send(SIGINT);
  const auto outcome = program->wait();
  EXPECT_EQ(outcome.exit, 130) << outcome.err;
  EXPECT_EQ(outcome.last_line(), "interrupted: 1 of 2 sizes tuned; " + file().string() +
                                     "; go on with the same command and --missing");
  EXPECT_EQ(kept().gemm.size(), 1u);
}

TEST_F(TuneGemm, ListsItsCandidatesForPeopleAndPrograms) {
  const auto outcome = tune({"--sizes", "8x16x32", "--list", "--format", "csv"});
  EXPECT_EQ(outcome.out,
            "size,candidate,needs\r\nbf16 8x16x32,repeated,host\r\n"
            "bf16 8x16x32,direct raster m8 splits 2,host\r\nbf16 8x16x32,picky,host\r\n"
            "bf16 8x16x32,hopper,sm_90a\r\n");
  EXPECT_FALSE(std::filesystem::exists(file()));
  const auto json = tune({"--sizes", "8x16x32", "--format", "json"});
  EXPECT_TRUE(json.out.starts_with("[")) << json.out;
  EXPECT_TRUE(json.err.starts_with("good: ")) << json.err;
}

TEST_F(TuneGemm, RefusesBadWords) {
  for (const auto& [words, part] : std::vector<std::pair<Words, std::string>>{
           {{}, "needs --sizes M N K"},
           {{"--sizes", "8", "16"}, "three extents for each size: got 2"},
           {{"--sizes", "8x16x32x8"}, "got 4"},
           {{"--sizes", "8x16x0"}, "must be at least 1"},
           {{"--sizes", "-8", "16", "32"}, "'-8' in '-8 16 32' must be at least 1"},
           {{"--sizes"}, "--sizes needs a value"},
           {{"--sizes", "8x16x30"}, "needs N and K divisible by 8 (16-byte rows): got 8x16x30"},
           {{"--sizes", "8x8x8", "--dtype", "fp32"},
            "--dtype is one of bf16, bf16_fp8, bf16_int8, fp16, fp8, "},
           {{"--sizes", "8x8x8", "--against", "cudnn"}, "--against is one of rival, not 'cudnn'"},
           {{"--sizes", "8x8x8", "--format", "xml"}, "unknown --format 'xml'"},
           {{"--sizes", "8x8x8", "--list=yes"}, "--list takes no value"},
           {{"--sizes", "8x8x8", "--sizes", "8x8x8"}, "--sizes is given twice"},
           {{"--sizes", "8x8x8", "--candidate"}, "did you mean --candidates?"},
           {{"--sises", "8x8x8"}, "tune gemm has no option --sises; did you mean --sizes? see"},
           {{"word"}, "takes no word without an option: got 'word'; see 'aisp tune gemm --help'"}})
    expect_refused(run(Words{"tune", "gemm"} + words), 2, part);
  for (const char* samples : {"4", "x", "-5", "1000001"})
    expect_refused(run({"tune", "gemm", "--sizes", "8x8x8", "--samples", samples}), 2,
                   "--samples is a number from 5 to 1000000");
}

}  // namespace
}  // namespace aisp::lab
