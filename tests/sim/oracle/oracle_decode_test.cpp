// The decoder against nvJitLink, statement by statement, from the tables of tests/sim/oracle: what
// nvJitLink accepts is decoded, or refused as known and not modelled, or excused in the table; what
// nvJitLink refuses is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "tests/sim/oracle/oracle_statements.hpp"
#include "tests/sim/program/decode_only.hpp"
#include "tests/sim/support/experiment.hpp"

using namespace aisp;

namespace {

// Empty when the text decodes.
std::string refusal_of(const std::string& text) {
  try {
    decode_only(text);
    return "";
  } catch (const sim::ptx::Refused& refused) {
    return refused.what();
  }
}

bool excused(oracle::Table& table, const std::string& statement) {
  bool found = false;
  for (oracle::Excuse& excuse : table.excuses)
    if (oracle::matches(excuse.pattern, statement)) found = excuse.used = true;
  return found;
}

class OracleDecode : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(OracleDecode, AcceptsAndRefusesWhatNvJitLinkDoes) {
  if (!oracle::JitLink::get().available()) GTEST_SKIP() << "libnvJitLink.so.13 is not installed";
  oracle::Table table = oracle::read_table(GetParam());
  int accepted = 0, not_modelled = 0, excuses = 0;
  std::vector<std::string> wrong;
  for (const std::string& target : table.targets) {
    const std::vector<bool> verdicts = oracle::judge_statements(table.statements, target);
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      const std::string& statement = table.statements[i];
      const std::string refusal = refusal_of(oracle::kernel_of({statement}, target));
      accepted += verdicts[i];
      if (!verdicts[i] && refusal.empty())
        wrong.push_back(target + " accepts too much: " + statement);
      if (!verdicts[i] || refusal.empty()) continue;
      const bool known = refusal.find("is known, not modelled") != std::string::npos;
      not_modelled += known;
      if (known) continue;
      if (excused(table, statement))
        ++excuses;
      else
        wrong.push_back(target + " refuses: " + refusal);
    }
  }
  for (const oracle::Excuse& excuse : table.excuses)
    if (!excuse.used) wrong.push_back("no statement needs the excuse " + excuse.pattern);
  RecordProperty("statements", static_cast<int>(table.targets.size() * table.statements.size()));
  RecordProperty("accepted", accepted);
  RecordProperty("not_modelled", not_modelled);
  RecordProperty("excused", excuses);
  EXPECT_THAT(wrong, testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Statements, OracleDecode,
                         testing::ValuesIn(experiments::files_under(
                             std::filesystem::path(AISP_SOURCE_DIR) / "tests/sim/oracle",
                             ".statements")),
                         [](const auto& info) { return info.param.stem().string(); });

}  // namespace
