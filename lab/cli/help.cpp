#include "lab/cli/help.hpp"

#include <algorithm>
#include <vector>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/cli/suggestions.hpp"

namespace aisp::embedded {
extern const std::string_view cli_page;
}

namespace aisp::lab {
namespace {

constexpr std::string_view before_name = "## aisp ";

struct Section {
  std::string command;
  std::string_view text, summary;
};

std::vector<Section> sections_of(std::string_view page) {
  std::vector<Section> sections;
  for (std::size_t start = 0; start < page.size();) {
    auto next = page.find("\n## ", start);
    next = next == std::string_view::npos ? page.size() : next + 1;
    const std::string_view text = page.substr(start, next - start);
    start = next;
    if (!text.starts_with(before_name)) continue;
    const auto end = text.find('\n');
    const auto summary = std::min(text.find_first_not_of('\n', end), text.size());
    sections.push_back({std::string(text.substr(before_name.size(), end - before_name.size())),
                        text, text.substr(summary, text.find('\n', summary) - summary)});
  }
  return sections;
}

std::string index_of(std::string_view page) {
  constexpr std::string_view fence = "```\n";
  const auto start = page.find(fence);
  if (start == std::string_view::npos) return std::string(page);
  const auto first = start + fence.size();
  return std::string(page.substr(first, page.find(fence, first) - first));
}

// "" where no command begins with the word.
std::string list_of_group(const std::vector<Section>& sections, const std::string& group) {
  std::vector<const Section*> members;
  std::size_t widest = 0;
  for (const auto& section : sections)
    if (section.command.starts_with(group + " ")) {
      members.push_back(&section);
      widest = std::max(widest, section.command.size());
    }
  std::string text;
  for (const auto* member : members)
    text += base::say("  aisp ", member->command, std::string(widest - member->command.size(), ' '),
                      "  ", member->summary, "\n");
  if (members.empty()) return text;
  return base::say("aisp ", group, " has these commands; 'aisp help ", members.front()->command,
                   "' explains one of them:\n", text);
}

}  // namespace

std::string help_text(std::string_view page, const std::string& command) {
  if (command.empty()) return index_of(page);
  if (command == "all") return std::string(page);
  const auto sections = sections_of(page);
  // "expectations show" and "cache list" are parts of one section.
  for (const auto& name : {command, command.substr(0, command.find(' '))})
    for (const auto& section : sections)
      if (section.command == name) return std::string(section.text);
  if (const std::string list = list_of_group(sections, command); !list.empty()) return list;
  std::vector<std::string> known;
  for (const auto& section : sections) known.push_back(section.command);
  const auto near = nearest_command(base::split(command, ' '), known);
  base::refuse(base::Exit::usage, "no help for '", command, "'",
               near ? "; did you mean 'aisp help " + *near + "'? " : "; ",
               "'aisp help' lists the commands");
}

std::string help_text(const std::string& command) { return help_text(embedded::cli_page, command); }

}  // namespace aisp::lab
