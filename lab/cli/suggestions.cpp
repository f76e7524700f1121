#include "lab/cli/suggestions.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace aisp::lab {
namespace {

using Words = std::vector<std::string>;

// The word itself, one that begins with it or has it behind a dash ("targets"), or the nearest.
std::optional<std::string> similar(const std::string& word, const Words& candidates) {
  const auto first_that = [&](const auto& holds) {
    return std::find_if(candidates.begin(), candidates.end(), holds);
  };
  auto found = first_that([&](const std::string& one) { return one == word; });
  if (found == candidates.end() && word.size() > 1)
    found = first_that([&](const std::string& one) { return one.starts_with(word); });
  if (found == candidates.end() && word.size() > 1)
    found = first_that([&](const std::string& one) { return one.ends_with("-" + word); });
  return found == candidates.end() ? base::nearest(word, candidates) : *found;
}

Words first_words(const Words& names) {
  Words firsts;
  for (const auto& name : names) {
    const std::string first = name.substr(0, name.find(' '));
    if (std::find(firsts.begin(), firsts.end(), first) == firsts.end()) firsts.push_back(first);
  }
  return firsts;
}

Words second_words(const Words& names, const std::string& group) {
  Words seconds;
  for (const auto& name : names)
    if (const auto blank = name.find(' ');
        blank != std::string::npos && (group.empty() || name.substr(0, blank) == group))
      seconds.push_back(name.substr(blank + 1));
  return seconds;
}

}  // namespace

std::optional<std::string> nearest_command(const Words& words, const Words& names) {
  if (words.empty()) return {};
  // "--versoin" as well: dashes would make any two words look alike.
  const std::string word =
      words[0].substr(std::min(words[0].find_first_not_of('-'), words[0].size()));
  Words known = first_words(names);
  const Words all_seconds = second_words(names, "");
  known.insert(known.end(), all_seconds.begin(), all_seconds.end());
  const auto near = similar(word, known);
  if (!near) return {};
  const Words members = second_words(names, *near);
  if (!members.empty()) {
    const auto member = words.size() > 1 ? similar(words[1], members) : std::nullopt;
    if (member) return *near + " " + *member;
    if (*near == words[0] && words.size() > 1) return {};  // the group is right
    return near;
  }
  if (std::find(names.begin(), names.end(), *near) != names.end()) return near;
  for (const auto& name : names)
    if (name.ends_with(" " + *near)) return name;
  return near;
}

}  // namespace aisp::lab
