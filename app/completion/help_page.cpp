#include "app/completion/help_page.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <utility>

#include "base/text.hpp"

namespace aisp::app {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t longest_text = 72;  // what a shell shows beside an option

// A word to type as it stands: "events", not "NAME" and not "a,b".
bool is_literal(std::string_view word) {
  const auto allowed = [](char letter) {
    return letter == '_' || letter == '-' ||
           std::islower(static_cast<unsigned char>(letter)) != 0 ||
           std::isdigit(static_cast<unsigned char>(letter)) != 0;
  };
  return !word.empty() && std::islower(static_cast<unsigned char>(word.front())) != 0 &&
         std::all_of(word.begin(), word.end(), allowed);
}

// The text up to the first `end` that stands in no bracket opened after its beginning.
std::string_view until(std::string_view text, std::string_view end) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (depth == 0 && end.find(text[at]) != std::string_view::npos) return text.substr(0, at);
    depth += text[at] == '[' ? 1 : text[at] == ']' ? -1 : 0;
  }
  return text;
}

std::string_view without_brackets(std::string_view text) {
  while (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  return text;
}

// The alternatives of "auto|gpu|sim[:NAME]", bracket contents kept.
Words alternatives(std::string_view text) {
  Words found;
  for (text = without_brackets(text); !text.empty();) {
    const auto one = until(text, "|");
    found.emplace_back(one);
    text.remove_prefix(std::min(text.size(), one.size() + 1));
  }
  return found;
}

// A few words of "`events` puts … (default events)": shells have one line.
std::string in_short(std::string_view text) {
  for (const std::string_view end : {"; ", ": ", " ("}) text = text.substr(0, text.find(end));
  std::string made;
  std::copy_if(text.begin(), text.end(), std::back_inserter(made), [](char c) { return c != '`'; });
  if (made.size() <= longest_text) return made;
  return made.substr(0, made.rfind(' ', longest_text)) + " …";
}

struct Section {
  std::string name;  // "bench run"
  std::string summary;
  Words statements;   // usage, one string for each that begins with "aisp "
  std::string usage;  // all of it
  Words option_lines;
};

Section read_section(std::string_view text) {
  const auto lines = base::split(text, '\n');
  Section section{lines[0], "", {}, "", {}};
  bool in_usage = false;
  for (auto line = lines.begin() + 1; line != lines.end() && !line->starts_with("### "); ++line) {
    if (line->starts_with("```")) {
      in_usage = !in_usage;
    } else if (in_usage) {
      section.usage += *line + "\n";
      if (line->starts_with("aisp ") || section.statements.empty())
        section.statements.emplace_back();
      section.statements.back() += *line + " ";
    } else if (line->starts_with("- `--")) {
      section.option_lines.push_back(*line);
    } else if (section.summary.empty()) {
      section.summary = in_short(*line);
    }
  }
  return section;
}

std::vector<Section> sections_of(std::string_view page) {
  constexpr std::string_view heading = "\n## aisp ";
  std::vector<Section> sections;
  for (auto at = page.find(heading); at != std::string_view::npos;
       at = page.find(heading, at + 1)) {
    const auto start = at + heading.size();
    sections.push_back(read_section(page.substr(start, page.find("\n## ", start) - start)));
  }
  return sections;
}

// What follows "--timer" in the usage, "" where nothing does.
std::string_view value_in(std::string_view usage, const std::string& option) {
  for (auto at = usage.find(option); at != std::string_view::npos;
       at = usage.find(option, at + 1)) {
    const auto rest = usage.substr(at + option.size());
    if (rest.starts_with(' ')) return until(rest.substr(1), " \n]");
  }
  return "";
}

// "- `--timer KIND`: what it does"
HelpOption read_option(const std::string& line, const std::string& usage) {
  const auto tick = line.find('`', 3);
  const auto words = base::split(line.substr(3, tick - 3), ' ');
  HelpOption option{words[0],
                    words.size() > 1 ? words[1] : "",
                    in_short(line.substr(line.find(": ", tick) + 2)),
                    {}};
  if (!option.value.empty()) option.takes = takes_of(value_in(usage, option.name));
  return option;
}

void join(Takes& all, const Takes& more) {
  all.words.insert(all.words.end(), more.words.begin(), more.words.end());
  all.files |= more.files;
  all.folders |= more.folders;
  all.targets |= more.targets;
  all.chapters |= more.chapters;
  all.commands |= more.commands;
}

// The places of a statement that belong to no option.
void add_places(HelpCommand& command, const std::string& statement) {
  bool of_option = false;
  for (const auto& piece : base::split(statement, ' ')) {
    const bool follows = std::exchange(of_option, false);
    if (piece.empty() || follows) continue;
    if (piece.find("--") != std::string::npos) {
      of_option = piece.back() != ']';  // "[--trace]" takes nothing, "[--seed" takes the next
      if (piece == "--" || piece == "[--]") of_option = false;
      continue;
    }
    if (piece == "PROGRAM") command.runs_program = true;
    if (alternatives(piece).size() > 1 || !is_literal(without_brackets(piece)))
      join(command.places, takes_of(piece));
  }
}

// The command that a statement of the section is about: "expectations show", or the section's own.
std::string command_of(const Section& section, const std::string& statement) {
  const std::string start = "aisp " + section.name + " ";
  if (!statement.starts_with(start)) return section.name;
  const std::string next(until(std::string_view(statement).substr(start.size()), " "));
  return is_literal(next) ? section.name + " " + next : section.name;
}

HelpCommand& command_named(HelpPage& page, const Section& section, const std::string& name) {
  for (auto& command : page.commands)
    if (command.name == name) return command;
  return page.commands.emplace_back(HelpCommand{name, section.summary});
}

// "aisp --version" and "aisp COMMAND --help" are about no command, and about every one.
std::optional<std::string> option_behind(const std::string& statement, const std::string& start) {
  if (!statement.starts_with(start + "--")) return {};
  return std::string(until(std::string_view(statement).substr(start.size()), " "));
}

}  // namespace

Takes takes_of(std::string_view usage) {
  Takes takes;
  for (const auto& one : alternatives(usage)) {
    const std::string word = one.substr(0, one.find('['));
    if (is_literal(word)) takes.words.push_back(word);
    takes.files |= word == "FILE" || word == "PROGRAM" || word.starts_with("RUN");
    takes.folders |= word == "DIR";
    takes.targets |= word == "TARGET" || one.starts_with("chNN[:name]");
    takes.chapters |= one == "chNN";
    takes.commands |= word == "COMMAND";
  }
  return takes;
}

HelpPage read_help_page(std::string_view text) {
  HelpPage page;
  Words everywhere;
  for (const auto& section : sections_of(text)) {
    std::vector<HelpOption> options;
    for (const auto& line : section.option_lines)
      options.push_back(read_option(line, section.usage));
    for (const auto& statement : section.statements) {
      if (const auto own = option_behind(statement, "aisp ")) {
        page.options.push_back(*own);
      } else if (const auto shared = option_behind(statement, "aisp COMMAND ")) {
        everywhere.push_back(*shared);
      } else {
        HelpCommand& command = command_named(page, section, command_of(section, statement));
        command.options = options;
        add_places(command, statement.substr(("aisp " + command.name).size()));
      }
    }
  }
  for (const auto& option : everywhere) {
    page.options.push_back(option);
    for (auto& command : page.commands)
      command.options.push_back({option, "", "prints the section of this command", {}});
  }
  return page;
}

}  // namespace aisp::app
