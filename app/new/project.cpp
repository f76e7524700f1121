#include "app/new/project.hpp"

#include <regex>

#include "base/file.hpp"

namespace aisp::app {
namespace {

namespace fs = std::filesystem;

std::string without_comments(std::string_view cmake) {
  static const std::regex comment("#[^\n]*");
  return std::regex_replace(std::string(cmake), comment, "");
}

fs::path folder_named(std::string text, const fs::path& root) {
  for (const std::string variable : {"${CMAKE_CURRENT_SOURCE_DIR}", "${CMAKE_SOURCE_DIR}"})
    if (text.starts_with(variable)) text.replace(0, variable.size(), root.string());
  if (text.find("${") != std::string::npos) return {};
  const fs::path path = (root / text).lexically_normal();
  return path.has_filename() ? path : path.parent_path();  // without a slash at its end
}

}  // namespace

std::vector<Module> modules_in(std::string_view cmake, const fs::path& root) {
  static const std::regex call(
      R"re(\baisp_add_targets\s*\(\s*([A-Za-z0-9_]+)\s[^)]*?\bDIR\s+"?([^\s)"]+))re");
  const std::string text = without_comments(cmake);
  std::vector<Module> modules;
  for (std::sregex_iterator found(text.begin(), text.end(), call), end; found != end; ++found)
    modules.push_back({(*found)[1], folder_named((*found)[2], root)});
  return modules;
}

std::vector<Module> modules_above(fs::path folder) {
  for (folder = fs::absolute(folder);; folder = folder.parent_path()) {
    const std::string text = base::read_file(folder / "CMakeLists.txt").text;
    if (auto modules = modules_in(text, folder); !modules.empty()) return modules;
    if (folder == folder.parent_path()) return {};
  }
}

}  // namespace aisp::app
