// docs/simulator.md says what the opcode table says.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "base/refuse.hpp"
#include "sim/exec/coverage.hpp"

using namespace aisp;

namespace {

TEST(Page, IsTheOneTheOpcodeTableGives) {
  std::ifstream file(std::string(AISP_SOURCE_DIR) + "/docs/simulator.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(page, sim::with_coverage(page))
      << "renew it: ninja -C build simulator_page && build/bin/simulator_page docs/simulator.md";
}

TEST(Page, NamesWhatIsModelledAndWhatIsNot) {
  const std::string table = sim::coverage_table();
  EXPECT_NE(table.find("| `bra` |"), std::string::npos);
  EXPECT_NE(table.find("Known and refused by name"), std::string::npos);
  EXPECT_THROW(sim::with_coverage("no markers"), base::Refusal);
}

}  // namespace
