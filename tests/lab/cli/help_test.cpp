#include "lab/cli/help.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "lab/report/results.hpp"
#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

constexpr std::string_view page =
    "# tool\n\nWhat it is.\n\n```\nthe index\n```\n\nMore.\n\n## aisp bench run\n\nruns\n\n### "
    "Columns\n\n- `a`: b\n\n"
    "## aisp bench list\n\nlists\n\n## aisp doctor\n\nlooks\n";

TEST(Help, CutsThePageAtItsHeadings) {
  EXPECT_EQ(help_text(page, ""), "the index\n");
  EXPECT_EQ(help_text(page, "all"), page);
  EXPECT_EQ(help_text(page, "doctor now"), "## aisp doctor\n\nlooks\n");
  EXPECT_EQ(help_text(page, "doctor"), "## aisp doctor\n\nlooks\n");
  EXPECT_EQ(help_text(page, "bench run"),
            "## aisp bench run\n\nruns\n\n### Columns\n\n- `a`: b\n\n");
  EXPECT_EQ(help_text(page, "bench"),
            "aisp bench has these commands; 'aisp help bench run' explains one of them:\n"
            "  aisp bench run   runs\n  aisp bench list  lists\n");
  const auto refusal = refusal_of([] { help_text(page, "docter"); });
  EXPECT_EQ(refusal.exit(), base::Exit::usage);
  EXPECT_NE(std::string(refusal.what()).find("did you mean 'aisp help doctor'?"),
            std::string::npos);
}

std::string cli_page() { return text_of(std::filesystem::path(AISP_SOURCE_DIR) / "docs/cli.md"); }

TEST(Help, ExplainsExactlyTheColumnsOfTheTable) {
  std::vector<std::string> explained, columns;
  std::istringstream section(help_text("bench run"));
  bool inside = false;
  for (std::string line; std::getline(section, line);) {
    if (line.starts_with("#")) inside = line == "### Columns";
    if (inside && line.starts_with("- `")) {
      explained.push_back(line.substr(3, line.find("`: ") - 3));
      EXPECT_GT(line.size(), line.find("`: ") + 10) << line;
    }
  }
  for (const auto& column : results_table({}).columns) columns.push_back(column.name);
  EXPECT_EQ(explained, columns);
}

class HelpCommand : public FixtureTest {};

TEST_F(HelpCommand, PrintsThePage) {
  const auto outcome = run({"help", "all"});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.out, cli_page());
  EXPECT_EQ(outcome.err, "");
}

// Fits a terminal of 24 lines with the prompt below it, and leaves out no command of the page.
TEST_F(HelpCommand, PrintsAnIndexOfOneScreen) {
  for (const Words& words : {Words{"help"}, Words{"--help"}, Words{"-h"}, Words{}}) {
    const auto outcome = run(words);
    EXPECT_EQ(outcome.exit, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_LE(lines_of(outcome.out).size(), 23u);
    for (const auto& line : lines_of(outcome.out)) EXPECT_LE(line.size(), 100u) << line;
    EXPECT_EQ(outcome.out, help_text(cli_page(), ""));
  }
  const std::string index = run({}).out;
  std::istringstream page(cli_page());
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("## aisp ")) continue;
    const std::string command = line.substr(std::string("## aisp ").size());
    const auto blank = command.find(' ');
    // "tune gemm, program" is one line.
    for (const auto& word : {command.substr(0, blank), command.substr(blank + 1)})
      EXPECT_NE(index.find(" " + word), std::string::npos) << command;
  }
}

TEST_F(HelpCommand, GroupsListTheirCommands) {
  for (const char* group : {"bench", "new", "tune"}) {
    const auto outcome = run({group});
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_EQ(outcome.out, help_text(cli_page(), group));
    EXPECT_EQ(lines_of(outcome.out).size(), 3u) << outcome.out;
    EXPECT_EQ(run({group, "--help"}).out, outcome.out);
    EXPECT_EQ(run({"help", group}).out, outcome.out);
  }
  const auto bench = lines_of(run({"bench"}).out);
  EXPECT_TRUE(bench[1].starts_with("  aisp bench list-targets  Lists the targets")) << bench[1];
  EXPECT_EQ(run({"expectations"}).out, help_text(cli_page(), "expectations"));
  EXPECT_EQ(run({"help", "expectations", "show"}).out, help_text(cli_page(), "expectations"));
}

TEST_F(HelpCommand, PrintsTheSectionOfEachCommand) {
  const std::string whole = cli_page();
  const std::vector<std::pair<Words, std::string>> commands{
      {{"bench", "list-targets"}, "bench list-targets"},
      {{"bench", "run"}, "bench run"},
      {{"sweep"}, "sweep"},
      {{"sweep", "ch10:matmul"}, "sweep"},
      {{"compare"}, "compare"},
      {{"compare", "ch09"}, "compare"},
      {{"expectations", "show"}, "expectations"},
      {{"expectations", "check"}, "expectations"},
      {{"expectations"}, "expectations"},
      {{"history"}, "history"},
      {{"doctor"}, "doctor"},
      {{"sim"}, "sim"},
      {{"check"}, "check"},
      {{"check", "--explore", "2"}, "check"},
      {{"help"}, "help"}};
  for (const auto& [words, section] : commands) {
    const auto outcome = run(words + Words{"--help"});
    EXPECT_EQ(outcome.exit, 0) << section;
    EXPECT_EQ(outcome.out, help_text(whole, section));
    EXPECT_TRUE(outcome.out.starts_with("## aisp " + section + "\n")) << outcome.out;
  }
  EXPECT_EQ(run({"help", "bench", "run"}).out, help_text(whole, "bench run"));
  EXPECT_EQ(run({"bench", "run", "--targets", "nonsense", "-h"}).out,
            help_text(whole, "bench run"));
}

TEST_F(HelpCommand, SaysTheVersionInOneLine) {
  const auto outcome = run({"--version"});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(run({"version"}).out, outcome.out);
  EXPECT_TRUE(outcome.out.starts_with("aisp ")) << outcome.out;
  EXPECT_EQ(lines_of(outcome.out).size(), 1u);
}

}  // namespace
}  // namespace aisp::lab
