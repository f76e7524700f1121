#include "app/completion/completion_command.hpp"

#include <map>

#include "app/completion/scripts.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/cli/help.hpp"
#include "lab/run/plan/rung_choice.hpp"

namespace aisp::app {

int completion_command(const std::vector<std::string>& words, std::ostream& out) {
  const std::map<std::string, std::string (*)(const HelpPage&)> shells{
      {"bash", bash_completion}, {"fish", fish_completion}, {"zsh", zsh_completion}};
  std::vector<std::string> names;
  for (const auto& [name, script] : shells) names.push_back(name);
  for (const auto& word : words)
    if (word.starts_with("-")) lab::refuse_option("completion", word, {});
  if (words.size() != 1)
    base::refuse(base::Exit::usage, "completion needs one shell: ", base::join(names, ", "));
  const auto shell = shells.find(words[0]);
  if (shell == shells.end()) {
    const auto meant = base::nearest(words[0], names);
    base::refuse(base::Exit::usage, "there is no completion for '", words[0], "'; ",
                 meant ? "did you mean " + *meant + "? " : "", "shells are ",
                 base::join(names, ", "));
  }
  out << shell->second(read_help_page(lab::help_text("all"))) << std::flush;
  return static_cast<int>(out ? base::Exit::good : base::Exit::environment);
}

}  // namespace aisp::app
