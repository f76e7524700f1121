#include "app/completion/scripts.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace aisp::embedded {
extern const std::string_view completion_bash, completion_zsh, completion_fish;
}

namespace aisp::app {
namespace {

std::string with_table(std::string_view script, const std::string& table) {
  constexpr std::string_view mark = "# @table@\n";
  std::string made(script);
  return made.replace(made.find(mark), mark.size(), table);
}

std::string quoted(std::string text) {
  for (auto at = text.find('\''); at != std::string::npos; at = text.find('\'', at + 4))
    text.replace(at, 1, "'\\''");
  return "'" + text + "'";
}

// In words that all three scripts know: "@files", "@targets all", "events graph".
std::string offers(const Takes& takes) {
  std::vector<std::string> words;
  for (const auto& [wanted, word] :
       {std::pair{takes.files, "@files"}, std::pair{takes.folders, "@folders"},
        std::pair{takes.targets, "@targets"}, std::pair{takes.chapters, "@chapters"},
        std::pair{takes.commands, "@commands"}})
    if (wanted) words.emplace_back(word);
  words.insert(words.end(), takes.words.begin(), takes.words.end());
  return base::join(words, " ");
}

struct Word {
  std::string text, summary;
};

// The words that may follow `before` ("" or "bench") within the commands' names.
std::vector<Word> next_words(const HelpPage& page, const std::string& before) {
  std::vector<Word> found;
  const std::string start = before.empty() ? "" : before + " ";
  for (const auto& command : page.commands) {
    if (!command.name.starts_with(start)) continue;
    const std::string rest = command.name.substr(start.size());
    const auto blank = rest.find(' ');
    const std::string word = rest.substr(0, blank);
    if (!found.empty() && found.back().text == word)
      found.back().summary += ", " + rest.substr(blank + 1);
    else
      found.push_back(
          {word, blank == std::string::npos ? command.summary : rest.substr(blank + 1)});
  }
  return found;
}

// First words of commands that have two.
std::vector<std::string> families(const HelpPage& page) {
  std::vector<std::string> found;
  for (const auto& command : page.commands) {
    const auto blank = command.name.find(' ');
    const std::string first = command.name.substr(0, blank);
    if (blank != std::string::npos && (found.empty() || found.back() != first))
      found.push_back(first);
  }
  return found;
}

// zsh reads ':' and brackets in a description as marks.
std::string for_zsh(const std::string& text) {
  std::string made;
  for (const char letter : text) {
    if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') made += '\\';
    made += letter;
  }
  return made;
}

std::string zsh_words(const std::string& name, const std::vector<Word>& words) {
  std::string made = "  " + name + ")\n    choices=(\n";
  for (const auto& word : words)
    made += "      " + quoted(word.text + ":" + for_zsh(word.summary)) + "\n";
  return made + "    ) ;;\n";
}

std::string zsh_specification(const HelpOption& option) {
  const std::string text = "[" + for_zsh(option.text) + "]";
  if (option.value.empty()) return quoted(option.name + text);
  return quoted(option.name + "=" + text + ":" + option.value + ": _aisp_offer " +
                offers(option.takes));
}

std::string fish_line(const std::string& condition, const std::string& rest) {
  return "complete -c aisp -n " + quoted(condition) + " " + rest + "\n";
}

// The option's value: `-r` demands one, `-F` offers files, `-f` nothing but what is listed.
std::string fish_value(const HelpOption& option) {
  if (option.value.empty()) return "";
  if (option.takes.files) return " -r -F";
  const std::string words = offers(option.takes);
  return words.empty() ? " -x" : " -x -a " + quoted("(__aisp_offer " + words + ")");
}

}  // namespace

std::string bash_completion(const HelpPage& page) {
  std::string table = "_aisp_table='\n";
  for (const auto& command : page.commands) {
    table +=
        command.name + "||" + (command.runs_program ? "@files" : offers(command.places)) + "\n";
    for (const auto& option : command.options) {
      const std::string words = offers(option.takes);
      table += command.name + "|" + option.name + "|" +
               (option.value.empty() ? ""
                : words.empty()      ? "@any"
                                     : words) +
               "\n";
    }
  }
  for (const auto& option : page.options) table += "|" + option + "|\n";
  return with_table(embedded::completion_bash, table + "'\n");
}

std::string zsh_completion(const HelpPage& page) {
  std::string table = "_aisp_words() {\n  case $1 in\n" + zsh_words("''", next_words(page, ""));
  for (const auto& family : families(page)) table += zsh_words(family, next_words(page, family));
  table += "  *) choices=() ;;\n  esac\n}\n\n_aisp_arguments() {\n  case $1 in\n";
  for (const auto& command : page.commands) {
    table += "  " + quoted(command.name) + ")\n    _arguments -S";
    for (const auto& option : command.options) table += " \\\n      " + zsh_specification(option);
    const std::string places = offers(command.places);
    if (command.runs_program)
      table += " \\\n      '*::program: _normal'";
    else if (!places.empty())
      table += " \\\n      " + quoted("*:argument: _aisp_offer " + places);
    table += " ;;\n";
  }
  table += "  esac\n}\n\n_aisp_own_options=(" + base::join(page.options, " ") + ")\n";
  return with_table(embedded::completion_zsh, table);
}

std::string fish_completion(const HelpPage& page) {
  std::string table;
  for (const auto& word : next_words(page, ""))
    table += fish_line("__aisp_follows", "-a " + word.text + " -d " + quoted(word.summary));
  for (const auto& option : page.options)
    table += fish_line("__aisp_follows", "-l " + option.substr(2));
  for (const auto& family : families(page))
    for (const auto& word : next_words(page, family))
      table +=
          fish_line("__aisp_follows " + family, "-a " + word.text + " -d " + quoted(word.summary));
  for (const auto& command : page.commands) {
    const std::string here = "__aisp_at " + command.name;
    for (const auto& option : command.options)
      table += fish_line(
          here, "-l " + option.name.substr(2) + fish_value(option) + " -d " + quoted(option.text));
    const std::string places = offers(command.places);
    if (command.runs_program || command.places.files) table += fish_line(here, "-F");
    if (!places.empty() && !command.runs_program)
      table += fish_line(here, "-a " + quoted("(__aisp_offer " + places + ")"));
  }
  return with_table(embedded::completion_fish, table);
}

}  // namespace aisp::app
