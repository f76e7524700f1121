// Which command is suggested in place of a mistyped one.
#include "lab/cli/suggestions.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

struct Mistyped {
  Words words;
  std::string meant;  // "": nothing is near
};

void PrintTo(const Mistyped& what, std::ostream* out) { *out << base::join(what.words, " "); }

class MistypedCommand : public FixtureTest, public testing::WithParamInterface<Mistyped> {};

TEST_P(MistypedCommand, IsRefusedWithTheNearest) {
  const auto& [words, meant] = GetParam();
  const bool help = words[0] == "help";
  const auto outcome = run(words);
  expect_refused(outcome, 2, help ? "no help for '" : "unknown command '");
  const std::string part = meant.empty()
                               ? "'; 'aisp "
                               : "; did you mean 'aisp " + (help ? "help " + meant : meant) + "'? ";
  EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(
    Groups, MistypedCommand,
    testing::Values(
        Mistyped{{"benhc", "run"}, "bench run"}, Mistyped{{"bnch", "run"}, "bench run"},
        Mistyped{{"benhc"}, "bench"}, Mistyped{{"benhc", "--targets"}, "bench"},
        Mistyped{{"draww"}, "draw"}, Mistyped{{"drwa", "sync", "x"}, "draw sync"},
        Mistyped{{"drwa", "snyc", "x"}, "draw sync"}, Mistyped{{"newp"}, "new"},
        Mistyped{{"nwe", "project", "x"}, "new project"}, Mistyped{{"new", "proj"}, "new project"},
        Mistyped{{"tuen", "gemm"}, "tune gemm"}, Mistyped{{"tune", "prog"}, "tune program"},
        Mistyped{{"expectatons", "show"}, "expectations show"},
        Mistyped{{"expectations", "shw"}, "expectations show"}, Mistyped{{"help", "bnch"}, "bench"},
        Mistyped{{"help", "tuen", "gemm"}, "tune gemm"}));

INSTANTIATE_TEST_SUITE_P(SecondWords, MistypedCommand,
                         testing::Values(Mistyped{{"run"}, "bench run"},
                                         Mistyped{{"rnu"}, "bench run"},
                                         Mistyped{{"list"}, "bench list-targets"},
                                         Mistyped{{"targets"}, "bench list-targets"},
                                         Mistyped{{"bench", "list"}, "bench list-targets"},
                                         Mistyped{{"gemm", "--sizes", "4"}, "tune gemm"},
                                         Mistyped{{"sync", "./program"}, "draw sync"},
                                         Mistyped{{"project", "x"}, "new project"},
                                         Mistyped{{"help", "run"}, "bench run"}));

INSTANTIATE_TEST_SUITE_P(
    Plain, MistypedCommand,
    testing::Values(Mistyped{{"histroy"}, "history"}, Mistyped{{"hist"}, "history"},
                    Mistyped{{"repotr"}, "report"}, Mistyped{{"--versoin"}, "version"},
                    Mistyped{{"-v"}, ""}, Mistyped{{"zzzzzz"}, ""},
                    Mistyped{{"bench", "zzzzzz"}, ""}, Mistyped{{"help", "zzzzzz"}, ""}));

TEST(NearestCommand, KnowsOnlyTheCommandsThatThereAre) {
  EXPECT_EQ(nearest_command({"gemm"}, {"bench run", "sweep"}), std::nullopt);
  EXPECT_EQ(nearest_command({}, {"sweep"}), std::nullopt);
  EXPECT_EQ(nearest_command({"sweeep"}, {"bench run", "sweep"}), "sweep");
}

}  // namespace
}  // namespace aisp::lab
