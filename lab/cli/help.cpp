#include "lab/cli/help.hpp"

#include "base/refuse.hpp"

namespace aisp::embedded {
extern const std::string_view cli_page;
}

namespace aisp::lab {

std::string help_text(std::string_view page, const std::string& command) {
  if (command.empty()) return std::string(page);
  std::string found;
  std::size_t start = 0;
  while (start < page.size()) {
    auto next = page.find("\n## ", start);
    next = next == std::string_view::npos ? page.size() : next + 1;
    const std::string_view section = page.substr(start, next - start);
    const std::string heading = "## aisp " + command;
    // "bench" alone gathers the sections of all its commands.
    if (section.starts_with(heading + "\n") || section.starts_with(heading + " ")) found += section;
    start = next;
  }
  if (found.empty())
    base::refuse(base::Exit::usage, "no help for '", command, "'; 'aisp help' lists the commands");
  return found;
}

std::string help_text(const std::string& command) { return help_text(embedded::cli_page, command); }

}  // namespace aisp::lab
