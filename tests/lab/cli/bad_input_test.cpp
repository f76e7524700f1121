// What a user can type wrong: one clear line, the documented exit code, and nothing left behind.
#include "base/text.hpp"
#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

struct Refused {
  Words words;
  int exit;
  std::string part;
};

void PrintTo(const Refused& what, std::ostream* out) { *out << base::join(what.words, " "); }

class BadWords : public FixtureTest, public testing::WithParamInterface<Refused> {};

TEST_P(BadWords, AreRefusedWithOneLineBeforeAnythingIsWritten) {
  expect_refused(run(GetParam().words), GetParam().exit, GetParam().part);
  EXPECT_TRUE(run_folders().empty());
}

INSTANTIATE_TEST_SUITE_P(
    Targets, BadWords,
    testing::Values(
        Refused{bench("fx:godo"), 2,
                "unknown target 'fx:godo'; did you mean 'fx:good'? 'aisp bench list-targets'"},
        Refused{bench("godo"), 2, "did you mean 'fx:good'?"},
        Refused{bench("ch9:good"), 2, "unknown chapter 'ch9' in 'ch9:good'"},
        Refused{bench("qwertyuiop"), 2, "unknown target 'qwertyuiop'; 'aisp bench list-targets'"},
        Refused{bench("fx:good,,fx:slow"), 2, "has an empty name in it"},
        Refused{bench("fx:good") + Words{"--rungs", "ad"}, 2,
                "unknown rung 'ad' in --rungs; did you mean 'add'? "},
        Refused{bench("fx:good") + Words{"--rungs", "qwertyuiop"}, 2,
                "unknown rung 'qwertyuiop' in --rungs; 'aisp bench list-targets'"},
        Refused{{"history", "fx:godo"}, 2, "no history at runs/history.sqlite yet"},
        Refused{{"compare", "fy"}, 2, "unknown target 'fy'; did you mean 'fx'?"},
        Refused{{"expectations", "show", "fy"}, 2, "did you mean 'fx'?"},
        Refused{
            {"bench", "list-targets", "--chapter", "fx:good"}, 2, "--chapter takes a chapter"}));

INSTANTIATE_TEST_SUITE_P(
    Sizes, BadWords,
    testing::Values(
        Refused{bench("fx:good") + Words{"--sizes", "0"}, 2, "--sizes: '0' must be at least 1"},
        Refused{bench("fx:good") + Words{"--sizes", "-8"}, 2, "--sizes: '-8' must be at least 1"},
        Refused{bench("fx:good") + Words{"--sizes", "99999999999999999999"}, 2,
                "--sizes: '99999999999999999999' does not fit 64 bits"},
        Refused{bench("fx:good") + Words{"--sizes", "9223372036854775800"}, 2,
                "multiplies to more than 2^50 elements"},
        Refused{bench("fx:good") + Words{"--sizes", "64", "64"}, 2,
                "--sizes gives 2 extents but fx:good takes 1: N"},
        Refused{bench("fx:good") + Words{"--sizes", "64x64"}, 2, "--sizes gives 2 extents"},
        Refused{bench("fx:good") + Words{"--sizes", "12"}, 2,
                "N must be a multiple of 8: got 12; use 16"},
        Refused{bench("fx:good") + Words{"--sizes", "64,12"}, 2, "N must be a multiple of 8"},
        Refused{bench("fx:good") + Words{"--sizes", "8.5"}, 2, "is not a whole number"},
        Refused{bench("fx:good") + Words{"--sizes", "many"}, 2, "is not a whole number"},
        Refused{bench("fx:good") + Words{"--sizes", "64x"}, 2, "an extent is missing in '64x'"},
        Refused{bench("fx:good") + Words{"--sizes"}, 2,
                "bench run --sizes needs a value after it"}));

INSTANTIATE_TEST_SUITE_P(
    Options, BadWords,
    testing::Values(
        Refused{{"bench", "run", "--nonsense"},
                2,
                "bench run has no option --nonsense; see 'aisp bench run --help'"},
        Refused{{"bench", "run", "--target", "fx:good"},
                2,
                "bench run has no option --target; did you mean --targets? see"},
        Refused{{"compare", "fx", "--exmaples=good"}, 2, "did you mean --examples?"},
        Refused{{"check", "--target", "fx:good"}, 2, "did you mean --targets?"},
        Refused{{"sweep", "grid", "--axes", "rows=8"}, 2, "did you mean --axis?"},
        Refused{{"sim", "--ordre", "latest", "--", "true"}, 2, "did you mean --order?"},
        Refused{{"bench", "run", "fx:good"},
                2,
                "takes no word without an option: got 'fx:good'; did you mean --targets fx:good?"},
        Refused{{"bench", "list-targets", "fx"}, 2, "did you mean --chapter fx?"},
        Refused{
            {"doctor", "extra"}, 2, "doctor takes no argument 'extra'; see 'aisp doctor --help'"},
        Refused{{"bench", "run", "-targets", "fx:good"},
                2,
                "bench run has no option -targets; did you mean --targets? see"},
        Refused{{"bench", "run", "-t", "fx:good"}, 2, "bench run has no option -t; see"},
        Refused{{"bench", "run", "--targets"}, 2, "bench run --targets needs a value after it"},
        Refused{{"completion", "--shell"}, 2, "completion has no option --shell; see"},
        Refused{{"layout", "4:1", "--svgg", "x"},
                2,
                "layout has no option --svgg; did you mean --svg?"},
        Refused{{"draw", "sync", "./x", "--formt=dot", "--size"}, 4, "cannot start ./x"},
        Refused{
            {"bench", "--targets"}, 2, "bench needs a command in front of --targets; 'aisp bench'"},
        Refused{{"bench", "zzzzzz"}, 2, "unknown command 'bench zzzzzz'; 'aisp bench' lists"},
        Refused{{"bench", "run", "--quick", "--full"}, 2, "give one of them"},
        Refused{{"compare", "fx", "--quick", "--full"}, 2, "give one of them"},
        Refused{{"sweep", "grid", "--axis", "rows=8", "--full", "--quick"}, 2, "give one of them"},
        Refused{{"demo", "fx", "--full", "--quick"}, 2, "give one of them"},
        Refused{{"inspect", "fx:good", "--full", "--quick"}, 2, "give one of them"},
        Refused{{"tune", "program", "fx:good", "--quick", "--full"}, 2, "give one of them"},
        Refused{{"check", "--targets", "fx:good", "--quick", "--full"}, 2, "give one of them"},
        Refused{{"check", "--full", "./program"}, 2, "choose sizes of --targets"},
        Refused{
            {"bench", "rnu"}, 2, "unknown command 'bench rnu'; did you mean 'aisp bench run'? "},
        Refused{{"docter"}, 2, "unknown command 'docter'; did you mean 'aisp doctor'? "},
        Refused{{"frobnicate"}, 2, "unknown command 'frobnicate'; 'aisp help' lists the commands"},
        Refused{{"help", "frobnicate"}, 2, "no help for 'frobnicate'"},
        Refused{bench("fx:good") + Words{"--format", "xml"}, 2,
                "unknown --format 'xml'; it is one of table, json, markdown, csv"},
        Refused{bench("fx:good") + Words{"--accept-regressions"}, 2,
                "give --update-expectations too"},
        Refused{bench("fx:good") + Words{"--update-expectations", "--validate"}, 2,
                "--validate times nothing"},
        Refused{bench("fx:good") + Words{"--iterations", "0"}, 2, "--iterations"},
        Refused{bench("fx:good") + Words{"--iterations", "-3"}, 2, "--iterations"},
        Refused{bench("fx:good") + Words{"--warmup", "two"}, 2, "--warmup"},
        Refused{bench("fx:good") + Words{"--seed", "-1"}, 2, "--seed"},
        Refused{bench("fx:good") + Words{"--l2", "warm"}, 2, "--l2"},
        Refused{bench("fx:good") + Words{"--timer", "sundial"}, 2,
                "bench run --timer: 'sundial' is none of events, graph; see"},
        Refused{bench("fx:good") + Words{"--profile", "minimum"}, 2,
                "--profile: 'minimum' is none of none, minimal, roofline, deep_dive; did you mean"},
        Refused{bench("fx:good") + Words{"--device", "tpu"}, 2, "auto, gpu or sim"},
        Refused{bench("fx:good") + Words{"--device", "simulator"}, 2, "auto, gpu or sim"},
        Refused{
            bench("fx:good") + Words{"--device", "sim:h20"}, 2,
            "the simulator knows no device 'h20'; it knows h200, a100, b200, gb200; did you mean"},
        Refused{bench("fx:good") + Words{"--device", "sim:"}, 2, "knows no device ''"},
        Refused{bench("fx:good") + Words{"--device", "sim:h200,sms"}, 2, "'sms' is no option"},
        Refused{bench("fx:good") + Words{"--device", "sim:h200,sms=0"}, 2, "'sms=0' is no option"},
        Refused{bench("fx:good") + Words{"--device", "sim", "--profile", "minimal"}, 2,
                "--profile minimal needs a GPU"},
        Refused{bench("fx:good") + Words{"--device", "sim", "--self-check"}, 2,
                "--self-check needs a GPU"},
        Refused{bench("fx:good") + Words{"--time-limit", "0"}, 2, "--time-limit"},
        Refused{bench("fx:good") + Words{"--time-limit", "5m"}, 2,
                "bench run --time-limit needs a number, not '5m'; see"},
        Refused{{"inspect", "fx:good", "add"}, 2, "a rung is written behind a slash, TARGET/RUNG"},
        Refused{bench("fx:good") + Words{"--time-limit", "nan"}, 2, "--time-limit"},
        Refused{bench("fx:good") + Words{"--time-limit", "1e300"}, 2, "--time-limit"},
        Refused{bench("fx:good") + Words{"--resume", "x"}, 2, "leave --targets and --sizes out"},
        Refused{{"bench", "run", "--resume", "nowhere"}, 2, "no run 'nowhere' here or in runs"},
        Refused{{"compare"}, 2, "compare needs a chapter, such as 'aisp compare ch09', or two rec"},
        Refused{{"compare", "a", "b", "c"}, 2, "'aisp compare RUN_A RUN_B'; got 3 words; see"},
        Refused{{"sweep", "grid", "host"}, 2, "sweep takes one target, not 'grid' and 'host'"},
        Refused{{"expectations", "check", "a", "b"}, 2, "takes one run, not 'a' and 'b'"},
        Refused{{"compare", "a", "b"}, 2, "no run 'a' here or in runs"},
        Refused{{"expectations", "check", "nowhere"}, 2, "no run 'nowhere'"},
        Refused{{"history", "--limit", "0"}, 2, "--limit"}));

INSTANTIATE_TEST_SUITE_P(
    Sim, BadWords,
    testing::Values(
        Refused{{"sim"}, 2, "sim needs a program behind --: aisp sim [options] -- ./program"},
        Refused{{"sim", "--"}, 2, "sim needs a program"},
        Refused{{"sim", "true"}, 2, "sim needs a program"},
        Refused{{"sim", "true", "--", "true"},
                2,
                "sim takes no argument 'true'; see 'aisp sim --help'"},
        Refused{{"sim", "--order", "sometimes", "--", "true"}, 2, "--order"},
        Refused{{"sim", "--seed", "-1", "--", "true"}, 2, "--seed"},
        Refused{{"sim", "--seed", "1.5", "--", "true"}, 2, "--seed"},
        Refused{{"sim", "--threads", "0", "--", "true"}, 2, "--threads"},
        Refused{{"sim", "--device", "b20", "--", "true"}, 2, "did you mean b200?"},
        Refused{{"sim", "--device", "h200,cores=8", "--", "true"}, 2, "'cores=8' is no option"},
        Refused{{"sim", "--", "./nowhere"}, 4, "cannot start ./nowhere: No such file"}));

INSTANTIATE_TEST_SUITE_P(
    Check, BadWords,
    testing::Values(
        Refused{{"check"}, 2, "check needs a program or --targets: aisp check [options] --"},
        Refused{{"check", "--"}, 2, "check needs a program or --targets:"},
        Refused{{"check", "--targets", "fx", "true"}, 2, "a program or --targets, not both"},
        Refused{{"check", "--targets", "fx:godo"}, 2, "did you mean 'fx:good'?"},
        Refused{{"check", "--explore", "0", "true"}, 2, "--explore"},
        Refused{{"check", "--explore", "2", "--order", "latest", "true"}, 2, "leave --order out"},
        Refused{{"check", "--keep-going", "true"}, 2, "--keep-going is about"},
        Refused{{"check", "--seed", "7", "true"}, 2, "give --order random or --explore N"},
        Refused{{"check", "--order", "random", "--seed", "-7", "true"}, 2, "--seed"},
        Refused{{"check", "--format", "xml", "true"}, 2, "--format"},
        Refused{{"check", "--max", "0", "true"}, 2, "--max"},
        Refused{{"check", "--timeout", "0", "true"}, 2, "--timeout"},
        Refused{{"check", "--device", "b20", "true"}, 2, "did you mean b200?"},
        Refused{{"check", "--colour", "true"}, 2, "--colour; see 'aisp check --help'"},
        Refused{{"check", "--suppressions", "nowhere.txt", "true"}, 4, "cannot read nowhere.txt"},
        Refused{{"check", "--out", "nowhere/a.json", "true"}, 4, "choose another --out"},
        Refused{{"check", "./nowhere"}, 4, "cannot start ./nowhere: No such file"},
        Refused{{"check", "--", "/dev/null"}, 4, "cannot start /dev/null: Permission denied"}));

}  // namespace
}  // namespace aisp::lab
