#include "sim/exec/coverage.hpp"

#include "base/refuse.hpp"
#include "sim/exec/host_level.hpp"

namespace aisp::sim {
namespace {

constexpr const char* first_marker =
    "<!-- generated from the opcode table: build/bin/simulator_page -->\n";
constexpr const char* last_marker = "<!-- end of the generated part -->\n";

std::string cell(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '|') safe += '\\';
    safe += c;
  }
  return safe;
}

}  // namespace

std::string coverage_table() {
  std::string modelled, refused;
  int count = 0;
  for (const OpcodeRow& row : opcode_table().rows()) {
    if (row.bind == nullptr) {
      refused += base::say(refused.empty() ? "" : ", ", '`', row.name, '`');
      continue;
    }
    ++count;
    modelled += base::say("| `", row.name, "` | ", cell(row.forms), " |\n");
  }
  std::string text =
      base::say(count, " opcodes are modelled:\n\n| opcode | forms |\n|---|---|\n", modelled);
  if (!refused.empty()) text += "\nKnown and refused by name: " + refused + ".\n";
  return text;
}

std::string with_coverage(const std::string& page) {
  const std::size_t start = page.find(first_marker), end = page.find(last_marker);
  if (start == std::string::npos || end == std::string::npos || end < start)
    base::refuse(base::Exit::environment, "the page lacks the lines that mark its generated part");
  return page.substr(0, start) + first_marker + "\n" + coverage_table() + "\n" + page.substr(end);
}

}  // namespace aisp::sim
