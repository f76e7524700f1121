#include "app/new/arguments.hpp"

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/run/plan/rung_choice.hpp"

namespace aisp::app {

namespace fs = std::filesystem;

Given read_given(const std::string& command, const std::vector<std::string>& words,
                 const std::string& option, const std::string& wanted) {
  Given given;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word == option) {
      if (at + 1 == words.size() || words[at + 1].empty())
        base::refuse(base::Exit::usage, command, " ", option, " needs a value after it");
      given.option = words[++at];
    } else if (word.starts_with("-")) {
      lab::refuse_option(command, word, {option});
    } else if (!given.word.empty()) {
      base::refuse(base::Exit::usage, command, " makes one, not '", given.word, "' and '", word,
                   "'");
    } else {
      given.word = word;
    }
  }
  if (given.word.empty())
    base::refuse(base::Exit::usage, command, " needs ", wanted, "; see 'aisp ", command,
                 " --help'");
  return given;
}

fs::path whole_path(const std::string& text) {
  const fs::path path = fs::absolute(text).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

void require_free_folder(const fs::path& folder, const std::string& as_typed) {
  std::error_code none;
  const fs::path parent = folder.parent_path();
  if (!fs::is_directory(parent, none))
    base::refuse(base::Exit::environment, "cannot make '", as_typed, "': '", parent.string(),
                 "' is no folder; make it first: mkdir -p '", parent.string(), "'");
  const auto state = fs::symlink_status(folder, none);
  if (!fs::exists(state)) return;
  if (!fs::is_directory(folder, none))
    base::refuse(base::Exit::usage, "'", as_typed, "' is there and is no folder; choose another");
  std::error_code error;
  const bool empty = fs::is_empty(folder, error);
  if (error)
    base::refuse(base::Exit::environment, "cannot read '", as_typed, "': ", error.message(),
                 "; choose another folder");
  if (!empty)
    base::refuse(base::Exit::usage, "'", as_typed,
                 "' is there and not empty; choose another folder, nothing in it was touched");
}

std::string list_of(const std::vector<NewFile>& files) {
  std::vector<std::string> names;
  for (const auto& file : files) names.push_back(file.path);
  return base::join(names, ", ");
}

}  // namespace aisp::app
