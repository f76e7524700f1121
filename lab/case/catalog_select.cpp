// What --targets says, looked up in the catalog.
#include <algorithm>
#include <optional>
#include <set>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/catalog.hpp"

namespace aisp::lab {
namespace {

std::string suggestion(const std::optional<std::string>& near) {
  return (near ? "; did you mean '" + *near + "'? " : "; ") + "'aisp bench list-targets' lists all";
}

// "ch9" or "ch9:x": whoever types that means a chapter.
bool looks_like_chapter(const std::string& word) {
  return word.size() > 2 && word.starts_with("ch") &&
         word.find_first_not_of("0123456789", 2) == std::string::npos;
}

}  // namespace

std::vector<Selection> Catalog::select(const std::string& text) const {
  if (targets_.empty() && planned_.empty())
    base::refuse(base::Exit::environment,
                 "this build of aisp has no targets: load a module of yours with --load, or build "
                 "the chapters with 'make all'");
  // Which variants of each target; "" among them stands for all.
  std::map<const Target*, std::set<std::string>> wanted;
  for (const auto& word : base::split(text, ',')) {
    if (word.empty())
      base::refuse(base::Exit::usage, "--targets '", text, "' has an empty name in it",
                   suggestion(std::nullopt));
    for (const auto& found : find(word)) wanted[found.target].insert(found.variant);
  }
  const auto words = base::split(text, ',');
  const auto left_out = std::find_if(planned_.begin(), planned_.end(), [&](const Planned& one) {
    return one.left_out && std::find_if(words.begin(), words.end(), [&](const auto& word) {
                             return word == "all" || word == one.chapter;
                           }) != words.end();
  });
  if (wanted.empty() && left_out != planned_.end())
    base::refuse(base::Exit::usage, "nothing of ", text, " is in this build; ", left_out->id(),
                 ", for one, ", left_out->status());
  if (wanted.empty())
    base::refuse(base::Exit::usage, "nothing of ", text,
                 " is built yet; 'aisp bench list-targets' says what its targets wait for");
  std::vector<Selection> selected;
  for (const auto& target : targets_) {
    const auto place = wanted.find(&target);
    if (place == wanted.end()) continue;
    if (place->second.count("") == 1) {
      selected.push_back({&target, ""});
      continue;
    }
    for (const auto& variant : target.variants)
      if (place->second.count(variant) == 1) selected.push_back({&target, variant});
  }
  return selected;
}

std::vector<Selection> Catalog::find(const std::string& word) const {
  if (word != "all" && !has_chapter(word)) return {find_name(word)};
  std::vector<Selection> found;
  for (const auto& target : targets_)
    if (word == "all" ? target.chapter != roof_chapter : target.chapter == word)
      found.push_back({&target, ""});
  return found;
}

Selection Catalog::find_name(const std::string& word) const {
  std::vector<const Name*> matches;
  for (const auto& name : names_)
    if (name.text == word || name.full() == word) matches.push_back(&name);
  if (matches.empty()) refuse_name(word);
  if (matches.size() > 1) {
    std::vector<std::string> ids;
    for (const auto* match : matches) ids.push_back(match->full());
    base::refuse(base::Exit::usage, "'", word,
                 "' is in several chapters; say which: ", base::join(ids, " or "));
  }
  const Planned* planned = matches.front()->planned;
  if (planned != nullptr && planned->left_out)
    base::refuse(base::Exit::usage, planned->id(), " ", planned->status());
  if (planned != nullptr)
    base::refuse(base::Exit::usage, planned->id(), " ", planned->status(),
                 "; 'aisp bench list-targets' lists what is");
  return matches.front()->means;
}

void Catalog::refuse_name(const std::string& word) const {
  const auto colon = word.find(':');
  const std::string chapter = word.substr(0, colon);
  if (!has_chapter(chapter) && (colon != std::string::npos || looks_like_chapter(word)))
    base::refuse(base::Exit::usage, "unknown chapter '", chapter, "'",
                 colon == std::string::npos ? "" : " in '" + word + "'",
                 suggestion(base::nearest(chapter, chapters_)));
  // The part after the colon is compared alone: the chapter would make any two names look alike.
  const std::string name_part = colon == std::string::npos ? word : word.substr(colon + 1);
  std::vector<std::string> known;
  if (colon == std::string::npos) known = chapters_;
  for (const auto& name : names_)
    if (colon == std::string::npos || name.chapter() == chapter || name.text == name_part)
      known.push_back(name.text);
  auto near = base::nearest(name_part, known);
  const auto place = std::find_if(names_.begin(), names_.end(),
                                  [&](const Name& name) { return near == name.text; });
  if (place != names_.end()) near = place->full();
  base::refuse(base::Exit::usage, "unknown target '", word, "'", suggestion(near));
}

}  // namespace aisp::lab
