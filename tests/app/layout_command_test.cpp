// `aisp layout` as the user meets it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/layout_command.hpp"
#include "base/refuse.hpp"

namespace aisp::app {
namespace {

std::string output_of(const std::vector<std::string>& words) {
  std::ostringstream out;
  EXPECT_EQ(layout_command(words, out), 0);
  return out.str();
}

std::string first_line_of(const std::vector<std::string>& words) {
  const std::string text = output_of(words);
  return text.substr(0, text.find('\n'));
}

TEST(LayoutCommand, PrintsTheLayoutAndItsGrid) {
  EXPECT_EQ(output_of({"(2,(2,2)):(2,(1,8))"}),
            "(2,(2,2)):(2,(1,8))\n"
            "rank 2, size 8, cosize 12, one to one, with holes, coalesced (2,2,2):(2,1,8)\n"
            "\n"
            "  |  0  1  2  3\n"
            "--+------------\n"
            "0 |  0  1  8  9\n"
            "1 |  2  3 10 11\n");
}

TEST(LayoutCommand, AppliesOperationsInOrder) {
  EXPECT_EQ(first_line_of({"(6,2):(8,2)", "--compose", "(4,3):(3,1)"}), "((2,2),3):((24,2),8)");
  EXPECT_EQ(first_line_of({"(4,2,3):(2,1,8)", "--divide", "4:2"}), "((2,2),(2,3)):((4,1),(2,8))");
  EXPECT_EQ(first_line_of({"(8,16):(16,1)", "--divide", "(4,8)"}), "((4,8),(2,2)):((16,1),(64,8))");
  EXPECT_EQ(first_line_of({"(2,2):(4,1)", "--product", "6:1"}), "((2,2),(2,3)):((4,1),(2,8))");
  EXPECT_EQ(first_line_of({"4:2", "--complement", "24"}), "(2,3):(1,8)");
  EXPECT_EQ(first_line_of({"(4,8):(8,1)", "--inverse"}), "(8,4):(4,1)");
  EXPECT_EQ(first_line_of({"(4,8):(8,1)", "--inverse", "--inverse"}), "(4,8):(8,1)");
  EXPECT_EQ(first_line_of({"--complement", "24", "4:2"}), "(2,3):(1,8)");
  EXPECT_EQ(first_line_of({"Sw<3,3,3>o(8,64):(64,1)", "--compose", "8:1"}), "Sw<3,3,3>o8:64");
}

TEST(LayoutCommand, ShowsOwners) {
  EXPECT_NE(output_of({"((2,2),2):((4,1),2)", "--tv", "(2,4)"}).find("1 | T2V0 T2V1 T3V0 T3V1"),
            std::string::npos);
}

std::string banks_of(const std::string& layout, const std::string& element) {
  const std::string text = output_of({layout, "--banks", "--element", element});
  return text.substr(text.find("bank conflicts"));
}

// Rows of 128 bytes all begin in bank 0.
TEST(LayoutCommand, CountsBankConflicts) {
  EXPECT_EQ(banks_of("(32,64):(64,1)", "bf16"),
            "bank conflicts of a warp, bf16 of 2 bytes:\n"
            "  along mode 0,  2 bytes a lane: 32 wavefronts, 1 without conflicts\n"
            "  along mode 1,  2 bytes a lane:  1 wavefront, no conflicts\n"
            "  along mode 0, 16 bytes a lane: 32 wavefronts, 4 without conflicts\n"
            "  along mode 1, 16 bytes a lane:  4 wavefronts, no conflicts\n");
  EXPECT_EQ(banks_of("(32,33):(33,1)", "f32"),  // padded, and so no vectors
            "bank conflicts of a warp, f32 of 4 bytes:\n"
            "  along mode 0,  4 bytes a lane:  1 wavefront, no conflicts\n"
            "  along mode 1,  4 bytes a lane:  1 wavefront, no conflicts\n"
            "  16 bytes a lane: the layout does not keep 4 elements together\n");
}

// The swizzle of bytes, taken for one of bf16, leaves every second row in its neighbour's banks.
TEST(LayoutCommand, BankConflictsTellARightSwizzleFromAWrongOne) {
  const std::string along_rows = "along mode 0, 16 bytes a lane: ";
  EXPECT_NE(banks_of("Sw<3,3,3>o(32,64):(64,1)", "bf16").find(along_rows + " 4 wavefronts, no"),
            std::string::npos);
  EXPECT_NE(
      banks_of("Sw<3,4,3>o(32,64):(64,1)", "bf16").find(along_rows + " 8 wavefronts, 4 without"),
      std::string::npos);
  EXPECT_NE(banks_of("Sw<3,4,3>o(32,128):(128,1)", "e4m3").find(along_rows + " 4 wavefronts, no"),
            std::string::npos);
  EXPECT_NE(banks_of("Sw<3,0,3>o(32,64):(64,1)", "bf16").find("does not keep 8 elements together"),
            std::string::npos);
}

TEST(LayoutCommand, WritesSvg) {
  const std::string path = ::testing::TempDir() + "layout_command_test.svg";
  output_of({"(4,8):(8,1)", "--svg", path});
  std::ifstream file(path);
  const std::string svg{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(svg.rfind("<svg ", 0), 0u);
  EXPECT_NE(svg.find("(4,8):(8,1)"), std::string::npos);
  std::filesystem::remove(path);
}

struct Wrong {
  std::vector<std::string> words;
  const char* message;
  base::Exit exit = base::Exit::usage;
};

TEST(LayoutCommand, RefusesWithTheNumbers) {
  for (const Wrong& wrong : {
           Wrong{{}, "layout needs one"},
           Wrong{{"(4,2"}, "layout '(4,2', position 4: ',' or ')' is missing here"},
           Wrong{{"--inverse"}, "layout needs one"},
           Wrong{{"4", "8:2"}, "layout takes one, not '4' and '8:2'"},
           Wrong{{"4", "--svgg", "x"}, "did you mean --svg?"},
           Wrong{{"4", "-q"}, "layout has no option -q; see 'aisp layout --help'"},
           Wrong{{"4", "--divide"}, "--divide needs a value"},
           Wrong{{"10:1", "--divide", "4"}, "a tile of 4 does not divide an extent of 10"},
           Wrong{{"(6,4):(1,100)", "--compose", "3:4"}, "inner stride 4 and outer extent 6"},
           Wrong{{"4", "--complement", "x"}, "not 'x'"},
           Wrong{{"(4,2):(1,0)", "--inverse"}, "stride 0"},
           Wrong{{"Sw<3,3,3>o(8,64):(64,1)", "--inverse"}, "without a swizzle"},
           Wrong{{"(1024,1024)"}, "has 1048576"},
           Wrong{{"4", "--svg", "/nowhere/at/all.svg"},
                 "cannot write '/nowhere/at/all.svg'",
                 base::Exit::environment},
           Wrong{{"(8,64):(64,1)", "--banks"}, "--banks needs --element"},
           Wrong{{"(8,64):(64,1)", "--element", "bf16"}, "--element needs --banks"},
           Wrong{{"(8,64):(64,1)", "--banks", "--element", "bf61"}, "--element takes bf16, f16"},
           Wrong{{"((2,2),2):((4,1),2)", "--tv", "(2,4)", "--banks", "--element", "f32"},
                 "give one of them"},
           Wrong{{"8:1", "--tv", "(2,4)"}, "ranks 1 and 2 must be equal"},
       }) {
    std::ostringstream out;
    try {
      layout_command(wrong.words, out);
      ADD_FAILURE() << wrong.message;
    } catch (const base::Refusal& refusal) {
      EXPECT_EQ(refusal.exit(), wrong.exit) << refusal.what();
      EXPECT_NE(std::string(refusal.what()).find(wrong.message), std::string::npos)
          << refusal.what();
    }
  }
}

}  // namespace
}  // namespace aisp::app
