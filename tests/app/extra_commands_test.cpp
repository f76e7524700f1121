// Commands that live outside the lab, as the user meets them: found, helped with, refused.
#include <sys/stat.h>

#include "base/text.hpp"
#include "lab/cli/command_line.hpp"
#include "lab/cli/help.hpp"
#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

TEST(ExtraCommands, ReadTheirWordsThemselves) {
  const Words extra{"layout", "tune gemm"};
  const auto line = parse_command_line({"tune", "gemm", "--any", "-4", "word"}, extra);
  EXPECT_EQ(line.command, "tune gemm");
  EXPECT_EQ(line.words, (Words{"--any", "-4", "word"}));
  EXPECT_EQ(parse_command_line({"layout"}, extra).words, Words{});
  EXPECT_EQ(parse_command_line({"layout", "tune"}, extra).command, "layout");
  EXPECT_TRUE(begins_two_words("tune", extra) && begins_two_words("bench", {}));
  EXPECT_FALSE(begins_two_words("layout", extra) || begins_two_words("tune", {}));
  EXPECT_EQ(refusal_of([] { parse_command_line({"tune", "gemm"}); }).exit(), base::Exit::usage);
}

class ExtraCommand : public FixtureTest {};

TEST_F(ExtraCommand, PrintsItsSectionOfThePage) {
  const std::string page = text_of(std::filesystem::path(AISP_SOURCE_DIR) / "docs/cli.md");
  const auto expect_section = [&](const Words& words, const std::string& section) {
    EXPECT_EQ(run(words).out, help_text(page, section)) << base::join(words, " ");
  };
  expect_section({"layout", "--help"}, "layout");
  expect_section({"layout", "4:1", "-h"}, "layout");
  expect_section({"tune", "gemm", "--help"}, "tune gemm");
  expect_section({"tune", "--help"}, "tune");
  expect_section({"help", "tune", "gemm"}, "tune gemm");
  expect_section({"help", "layout"}, "layout");
}

// A group of one command is a group as well.
TEST_F(ExtraCommand, DrawListsItsCommands) {
  const auto outcome = run({"draw"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  const auto lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 2u) << outcome.out;
  EXPECT_EQ(lines[0], "aisp draw has these commands; 'aisp help draw sync' explains one of them:");
  EXPECT_TRUE(lines[1].starts_with("  aisp draw sync  Draws the synchronisation graph"))
      << lines[1];
  EXPECT_EQ(run({"draw", "--help"}).out, outcome.out);
  EXPECT_EQ(run({"help", "draw"}).out, outcome.out);
}

TEST_F(ExtraCommand, IsSuggestedWhenMisspelt) {
  expect_refused(run({"layuot", "4"}), 2, "did you mean 'aisp layout'? ");
  expect_refused(run({"tune", "gem"}), 2, "unknown command 'tune gem'; did you mean 'aisp tune");
}

TEST_F(ExtraCommand, LayoutDrawsAndRefuses) {
  const auto drawn = run({"layout", "(4,(2,2)):(2,(1,8))", "--svg", "drawn.svg"});
  EXPECT_EQ(drawn.exit, 0);
  EXPECT_TRUE(drawn.out.starts_with("(4,(2,2)):(2,(1,8))\nrank 2, size 16, ")) << drawn.out;
  EXPECT_TRUE(text_of(folder() / "drawn.svg").starts_with("<svg "));
  EXPECT_EQ(run({"layout", "--svg", "first.svg", "4:2"}).exit, 0);
  EXPECT_TRUE(text_of(folder() / "first.svg").starts_with("<svg "));
  expect_refused(run({"layout"}), 2, "layout needs one");
  expect_refused(run({"layout", "(4,2"}), 2, "layout '(4,2', position 4");
  expect_refused(run({"layout", "4", "--svg", "nowhere/x.svg"}), 4, "cannot write 'nowhere/x.svg'");
  ASSERT_EQ(mkfifo((folder() / "fifo.svg").c_str(), 0600), 0);
  expect_refused(run({"layout", "4", "--svg", "fifo.svg"}), 4,
                 "cannot write 'fifo.svg': it is a FIFO, not a regular file");
}

}  // namespace
}  // namespace aisp::lab
