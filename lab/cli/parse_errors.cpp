#include "lab/cli/parse_errors.hpp"

#include <algorithm>
#include <cctype>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/run/plan/rung_choice.hpp"

namespace aisp::lab {
namespace {

using base::Exit;
using base::refuse;

bool is_option(const std::string& word) {  // "-targets" as well, and not "-4"
  return word.size() > 1 && word[0] == '-' &&
         (word[1] == '-' || std::isalpha(static_cast<unsigned char>(word[1])) != 0);
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options())
    for (const auto& name : option->get_lnames()) known.push_back("--" + name);
  return known;
}

// The first word that no option takes and that has no place of its own.
void refuse_extra_word(const CLI::App& app, const std::string& command,
                       const std::vector<std::string>& words) {
  const auto extra = app.remaining();
  const auto known = options_of(app);
  const auto has = [&](const char* option) {
    return std::find(known.begin(), known.end(), option) != known.end();
  };
  const std::string see = "see 'aisp " + command + " --help'";
  for (const auto& word : words) {
    if (std::find(extra.begin(), extra.end(), word) == extra.end()) continue;
    const char* option = has("--targets") ? "--targets" : has("--chapter") ? "--chapter" : "";
    if (*option != '\0')
      refuse(Exit::usage, command, " takes no word without an option: got '", word,
             "'; did you mean ", option, " ", word, "? ", see);
    refuse(Exit::usage, command, " takes no argument '", word, "'; ", see);
  }
}

}  // namespace

void refuse_parse_error(const CLI::App& app, const std::string& command,
                        const std::vector<std::string>& words, const CLI::ParseError& error) {
  const auto known = options_of(app);
  for (const auto& word : words) {
    if (!is_option(word)) continue;
    const std::string name = word.substr(0, word.find('='));
    if (std::find(known.begin(), known.end(), name) == known.end())
      refuse_option(command, name, known);
  }
  const std::string what = error.what();
  const std::string option = what.substr(0, what.find(':'));
  if (what.find(": 1 required ") != std::string::npos)
    refuse(Exit::usage, command, " ", option,
           what.ends_with("missing") ? " needs a value after it" : " is given twice",
           "; see 'aisp ", command, " --help'");
  const std::string unread = "Could not convert: ";
  if (const auto equals = what.find(" = "); what.starts_with(unread) && equals != what.npos)
    refuse(Exit::usage, command, " ", what.substr(unread.size(), equals - unread.size()),
           " needs a number, not '", what.substr(equals + 3), "'; see 'aisp ", command, " --help'");
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
    refuse_extra_word(app, command, words);
  refuse(Exit::usage, command, " ", what, "; see 'aisp ", command, " --help'");
}

}  // namespace aisp::lab
