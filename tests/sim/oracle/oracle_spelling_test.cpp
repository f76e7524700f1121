// Spellings: statements of the tables, written in other ways. What nvJitLink takes is decoded, to
// the same operations where only the spelling differs; what it refuses is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "tests/sim/oracle/oracle_spellings.hpp"
#include "tests/sim/oracle/oracle_statements.hpp"
#include "tests/sim/program/decode_only.hpp"
#include "tests/sim/support/experiment.hpp"

using namespace aisp;

namespace {

struct Decoded {
  std::optional<sim::Program> program;
  std::string refusal;
};

// With all registers of the judge's kernel: the numbers of registers are then the same.
Decoded decoded(const std::string& statement, const std::string& target) {
  Decoded result;
  try {
    result.program = decode_only(oracle::kernel_of({statement}, target));
  } catch (const sim::ptx::Refused& refused) {
    result.refusal = refused.what();
  }
  return result;
}

bool same_operations(const sim::Program& a, const sim::Program& b) {
  const auto same = [](const sim::Op& x, const sim::Op& y) {
    return x.run == y.run && x.dst == y.dst && x.dst2 == y.dst2 && x.a == y.a && x.b == y.b &&
           x.c == y.c && x.d == y.d && x.guard == y.guard && x.imm == y.imm &&
           x.target == y.target && x.list_size == y.list_size && x.kind == y.kind;
  };
  return std::equal(a.ops.begin(), a.ops.end(), b.ops.begin(), b.ops.end(), same) &&
         a.lists == b.lists && a.constants == b.constants;
}

// Statements that decode, a few of each opcode with its operands: registers and numbers count,
// which ones does not.
std::vector<std::string> chosen(const oracle::Table& table, const std::string& target) {
  std::map<std::string, int> seen;
  std::vector<std::string> list;
  for (const std::string& statement : table.statements) {
    std::string shape = statement.substr(0, statement.find('.')) + " ";
    for (const char c : statement.substr(std::min(statement.find(' '), statement.size())))
      if (std::string("{}[],+|!").find(c) != std::string::npos) shape += c;
    for (const char c : statement)
      if (std::isdigit(static_cast<unsigned char>(c)) != 0 && shape.back() != '#') shape += '#';
    constexpr int of_each = 2;
    if (seen[shape] < of_each && decoded(statement, target).program) {
      ++seen[shape];
      list.push_back(statement);
    }
  }
  return list;
}

// As many as can be judged in a few seconds, evenly; all of them with AISP_TEST_SWEEPS=full.
template <class T>
void thin_out(std::vector<T>& list) {
  const char* sweeps = std::getenv("AISP_TEST_SWEEPS");
  constexpr std::size_t most = 500;
  const bool all = sweeps != nullptr && std::string_view(sweeps) == "full";
  const std::size_t step = all ? 1 : list.size() / most + 1;
  std::vector<T> kept;
  for (std::size_t i = 0; i < list.size(); i += step) kept.push_back(std::move(list[i]));
  list = std::move(kept);
}

class OracleSpelling : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(OracleSpelling, AreTakenAndMeanWhatNvJitLinkSays) {
  if (!oracle::JitLink::get().available()) GTEST_SKIP() << "libnvJitLink.so.13 is not installed";
  const auto folder = std::filesystem::path(AISP_SOURCE_DIR) / "tests/sim/oracle";
  const oracle::Table table = oracle::read_table(GetParam());
  ASSERT_FALSE(table.targets.empty()) << "a line '# targets:' names none";
  const std::string target = table.targets.back();  // the newest takes most statements
  oracle::Table excuses = oracle::read_table(folder / "spellings.excuses");
  std::vector<oracle::Spelling> spellings;
  std::vector<std::string> texts, origins;
  for (const std::string& statement : chosen(table, target))
    for (const oracle::Spelling& spelling : oracle::Speller(statement).run()) {
      spellings.push_back(spelling);
      origins.push_back(statement);
    }
  thin_out(spellings);
  thin_out(origins);
  for (const oracle::Spelling& spelling : spellings) texts.push_back(spelling.text);
  const std::vector<bool> verdicts = oracle::judge_statements(texts, target);
  std::vector<std::string> wrong;
  int accepted = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Decoded got = decoded(texts[i], target);
    accepted += verdicts[i];
    const auto excused = [&] {
      for (const oracle::Excuse& excuse : excuses.excuses) {
        const bool takes_more = excuse.pattern.starts_with('+');
        if (takes_more != verdicts[i] &&
            oracle::matches(excuse.pattern.substr(takes_more ? 1 : 0), texts[i]))
          return true;
      }
      return false;
    };
    if (verdicts[i] != got.program.has_value()) {
      if (excused()) continue;
      // A line may have been blamed for a neighbour's error.
      if (!verdicts[i] &&
          oracle::JitLink::get().judge(oracle::kernel_of({texts[i]}, target), target).accepted)
        continue;
      wrong.push_back((verdicts[i] ? "refuses: " + texts[i] + "   " + got.refusal
                                   : "accepts too much: " + texts[i]));
    } else if (got.program && spellings[i].same &&
               !same_operations(*got.program, *decoded(origins[i], target).program)) {
      wrong.push_back("means something else: " + texts[i]);
    }
  }
  RecordProperty("spellings", static_cast<int>(texts.size()));
  RecordProperty("accepted", accepted);
  EXPECT_GT(accepted, static_cast<int>(texts.size() / 4));
  EXPECT_EQ(base::join(wrong, "\n"), "");
}

// Directives: declarations, linkage, initial values, sections, prototypes.
TEST(OracleModuleSpelling, ModulesAreTakenAsNvJitLinkTakesThem) {
  if (!oracle::JitLink::get().available()) GTEST_SKIP() << "libnvJitLink.so.13 is not installed";
  const auto file = std::filesystem::path(AISP_SOURCE_DIR) / "tests/sim/oracle/spellings.modules";
  std::ifstream stream(file);
  std::vector<std::string> modules, wrong;
  std::vector<oracle::Excuse> excuses;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t colon = line.rfind(" : ");
    if (line.starts_with("! "))
      excuses.push_back({line.substr(2, colon - 2), line.substr(colon + 3)});
    else
      modules.push_back(line);
  }
  int accepted = 0;
  for (const std::string& module : modules) {
    const std::string text = ".version 9.0\n.target sm_90a\n.address_size 64\n" + module + "\n";
    const oracle::Verdict verdict = oracle::JitLink::get().judge(text);
    std::string refusal;
    try {
      decode_only(text);
    } catch (const sim::ptx::Refused& refused) {
      refusal = refused.what();
    }
    accepted += verdict.accepted;
    if (verdict.accepted == refusal.empty()) continue;
    bool excused = false;
    for (oracle::Excuse& excuse : excuses)
      if (oracle::matches(excuse.pattern, module)) excused = excuse.used = true;
    if (!excused)
      wrong.push_back(verdict.accepted ? "refuses " + refusal : "accepts too much: " + module);
  }
  for (const oracle::Excuse& excuse : excuses)
    if (!excuse.used) wrong.push_back("no module needs the excuse " + excuse.pattern);
  EXPECT_GT(accepted, 60);
  EXPECT_EQ(base::join(wrong, "\n"), "");
}

INSTANTIATE_TEST_SUITE_P(Statements, OracleSpelling,
                         testing::ValuesIn(experiments::files_under(
                             std::filesystem::path(AISP_SOURCE_DIR) / "tests/sim/oracle",
                             ".statements")),
                         [](const auto& info) { return info.param.stem().string(); });

}  // namespace
