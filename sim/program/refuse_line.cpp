#include "sim/program/refuse_line.hpp"

#include "base/refuse.hpp"
#include "sim/ptx/module.hpp"

namespace aisp::sim {
namespace {

// One line, blanks collapsed, not longer than a report can bear.
std::string one_line(std::string_view text) {
  constexpr std::size_t longest = 200;
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (blank && (line.empty() || line.back() == ' ')) continue;
    if (line.size() == longest) return line + "...";
    line += blank ? ' ' : c;
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

void refuse_line(int line, const std::string& why, std::string_view text) {
  throw ptx::Refused(line, base::say("line ", line, ": ", why, ": ", one_line(text)));
}

}  // namespace aisp::sim
