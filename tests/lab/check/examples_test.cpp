// Examples of `aisp check --explain`: one for every rule, and both of their sides.
#include "lab/check/examples.hpp"

#include <gtest/gtest.h>

#include "lab/check/rules.hpp"
#include "tests/support/files.hpp"

namespace aisp::lab {
namespace {

TEST(Examples, EveryRuleHasOneThatIsWrongAndOneThatIsFixed) {
  for (const auto& rule : base::hazard_rules) {
    const HazardExample example = find_example(rule.name);
    ASSERT_NE(example.file, "") << "the rule " << rule.name
                                << " has no example: mark the code of one of its programs, "
                                << "tests/hazards/FOLDER/NAME.cu, with '// example begin: "
                                << rule.name
                                << "' and '// example end' (docs/extend/hazard_rule.md)";
    EXPECT_NE(example.wrong, example.fixed) << example.file;
    for (const std::string& side : {example.wrong, example.fixed}) {
      EXPECT_EQ(side.find("fixed"), std::string::npos)
          << example.file << ": write `fixed` in an if, a ?: or a condition\n"
          << side;
      EXPECT_EQ(side.find("if (true"), std::string::npos) << example.file << "\n" << side;
      EXPECT_EQ(side.find("if (false"), std::string::npos) << example.file << "\n" << side;
      EXPECT_EQ(std::count(side.begin(), side.end(), '{'),
                std::count(side.begin(), side.end(), '}'))
          << example.file << "\n"
          << side;
    }
  }
}

// The tests of that file prove that the wrong side is reported under the rule, and the fixed one is
// not: run.py requires it of files with a mark.
TEST(Examples, AreOfProgramsThatExpectTheRule) {
  for (const auto& rule : base::hazard_rules) {
    const std::string file = find_example(rule.name).file;
    const std::string text = text_of(std::filesystem::path(AISP_SOURCE_DIR) / file);
    const std::string head = text.substr(0, text.find('\n'));
    EXPECT_TRUE((head + ",").find(std::string(" ") + rule.name + ",") != std::string::npos)
        << file << ": " << head;
    EXPECT_NE(text.find("// example begin: " + std::string(rule.name) + "\n"), std::string::npos);
  }
}

TEST(Examples, ASideHasNoTraceOfTheOther) {
  const auto sides = [](const std::string& code) {
    return std::pair(side_of(code, false), side_of(code, true));
  };
  using Sides = std::pair<std::string, std::string>;
  EXPECT_EQ(sides("a;\nif (fixed) b();\nc;\n"), Sides("a;\nc;\n", "a;\nb();\nc;\n"));
  EXPECT_EQ(sides("a;\nif constexpr (!fixed) b();\nc;\n"), Sides("a;\nb();\nc;\n", "a;\nc;\n"));
  EXPECT_EQ(sides("if (fixed)\n  b();\nelse\n  c(1);\n"), Sides("c(1);\n", "b();\n"));
  EXPECT_EQ(sides("x;\nif (fixed) {\n  a;\n  b;\n}\ny;\n"), Sides("x;\ny;\n", "x;\na;\nb;\ny;\n"));
  EXPECT_EQ(sides("f(fixed ? g(1, 2) : h::i, 3);\n"), Sides("f(h::i, 3);\n", "f(g(1, 2), 3);\n"));
  EXPECT_EQ(sides("f<fixed ? 96 : 120>();\n"), Sides("f<120>();\n", "f<96>();\n"));
  EXPECT_EQ(sides("if (fixed || t < 64) b();\n"), Sides("if (t < 64) b();\n", "b();\n"));
  EXPECT_EQ(sides("a;\nif (!t(x) && fixed) break;\n"), Sides("a;\n", "a;\nif (!t(x)) break;\n"));
  EXPECT_EQ(sides("a;\nif (fixed && i >= n) return;\n"),
            Sides("a;\n", "a;\nif (i >= n) return;\n"));
  EXPECT_EQ(sides("b(1, fixed || t < 64 ? 96 : 64);\n"),
            Sides("b(1, t < 64 ? 96 : 64);\n", "b(1, 96);\n"));
  EXPECT_EQ(sides("if (a)\n  b;\nelse if constexpr (fixed)\n  c;\nd;\n"),
            Sides("if (a)\n  b;\nd;\n", "if (a)\n  b;\nelse c;\nd;\n"));
  EXPECT_EQ(sides("p(x, !fixed);\n"), Sides("p(x, true);\n", "p(x, false);\n"));
}

TEST(Explanation, HasTheRuleItsTextsAndBothSides) {
  const std::string text = explanation_of("shared-race");
  for (const char* part :
       {"shared-race: unordered accesses to shared memory\n", "  level: error",
        "  why: Two threads", "  fix: Put __syncthreads()", "\nWrong:\n", "\nFixed:\n",
        "  +   __syncthreads();\n", "tests/hazards/threads/missing_syncthreads.cu"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find("  -"), std::string::npos) << text;  // nothing was taken out
  EXPECT_NE(explanation_of("copy-proxy-fence").find("level: formal"), std::string::npos);
  EXPECT_NE(explanation_of("bank-conflict").find("  -   __shared__ int tile[32][32];"),
            std::string::npos);
}

TEST(Explanation, AnUnknownRuleIsRefusedWithTheNearestName) {
  const auto near = refusal_of([] { explanation_of("shared-rce"); });
  EXPECT_EQ(near.exit(), base::Exit::usage);
  EXPECT_STREQ(near.what(), "there is no rule 'shared-rce'; did you mean shared-race?");
  const auto far = refusal_of([] { explanation_of("qqqqqqqqqqqq"); });
  EXPECT_NE(std::string(far.what()).find("--rules"), std::string::npos);
}

}  // namespace
}  // namespace aisp::lab
