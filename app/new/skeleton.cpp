#include "app/new/skeleton.hpp"

#include <algorithm>
#include <cctype>

#include "app/new/own_targets.hpp"
#include "base/text.hpp"

namespace aisp::app {
namespace {

constexpr std::string_view example_module = "mine", example_target = "axpy";
constexpr std::string_view target_folder = "targets/axpy/";

struct Names {
  std::string module, target;
};

bool in_word(char letter) {
  return letter == '_' || std::isalnum(static_cast<unsigned char>(letter)) != 0;
}

// mine, libmine, axpy and axpy_anything stand for the new names; any other word for itself.
std::string renamed_word(std::string_view word, const Names& names) {
  if (word == example_module) return names.module;
  if (word == "lib" + std::string(example_module)) return "lib" + names.module;
  if (word == example_target) return names.target;
  if (word.starts_with(std::string(example_target) + "_"))
    return names.target + std::string(word.substr(example_target.size()));
  return std::string(word);
}

std::string renamed(std::string_view text, const Names& names) {
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && in_word(text[end])) ++end;
    made += renamed_word(text.substr(at, end - at), names);
    while (end < text.size() && !in_word(text[end])) made += text[end++];
    at = end;
  }
  return made;
}

void replace_all(std::string& text, const std::string& old, const std::string& now) {
  for (auto at = text.find(old); at != std::string::npos; at = text.find(old, at + now.size()))
    text.replace(at, old.size(), now);
}

// Blocks of includes stay sorted whatever the new names are.
std::string with_sorted_includes(const std::string& text) {
  auto lines = base::split(text, '\n');
  const auto is_include = [](const std::string& line) { return line.starts_with("#include \""); };
  for (auto first = lines.begin(); first != lines.end();) {
    first = std::find_if(first, lines.end(), is_include);
    const auto last = std::find_if_not(first, lines.end(), is_include);
    std::sort(first, last);
    first = last;
  }
  return base::join(lines, "\n");
}

// The files of the example whose path begins with `folder`, without it.
std::vector<NewFile> files_of(std::string_view folder, const Names& names) {
  std::vector<NewFile> files;
  for (const auto& [path, text] : own_targets())
    if (path.starts_with(folder))
      files.push_back(
          {renamed(path.substr(folder.size()), names), with_sorted_includes(renamed(text, names))});
  return files;
}

}  // namespace

std::vector<NewFile> project_files(const std::string& module, const std::string& target) {
  return files_of("", {module, target});
}

std::vector<NewFile> module_target_files(const std::string& module, const std::string& target) {
  return files_of(target_folder, {module, target});
}

std::vector<NewFile> chapter_target_files(const std::string& chapter, const std::string& target) {
  auto files = files_of(target_folder, {chapter, target});
  const std::string header = target + ".hpp";
  for (auto& file : files) {
    replace_all(file.text, "#include \"" + header + "\"",
                "#include \"chapters/" + chapter + "/" + target + "/" + header + "\"");
    replace_all(file.text, "namespace " + chapter, "namespace aisp::" + chapter);
    replace_all(file.text, "--load lib" + chapter + ".so ", "");
    file.text = with_sorted_includes(file.text);
  }
  return files;
}

std::string commands_of(std::string_view page) {
  constexpr std::string_view fence = "```\n";
  const auto first = page.find(fence);
  if (first == std::string_view::npos) return "";
  const auto start = first + fence.size();
  return std::string(page.substr(start, page.find(fence, start) - start));
}

}  // namespace aisp::app
