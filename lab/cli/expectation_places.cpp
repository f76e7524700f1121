#include "lab/cli/expectation_places.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/refuse.hpp"
#include "lab/module/load.hpp"

namespace aisp::lab {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const Module& module) {
  std::error_code none;
  return fs::is_directory(module.folder, none) ? fs::path(module.folder)
                                               : fs::path(module.file).parent_path();
}

// Chapter -> folder, of this tree and of modules.
std::map<std::string, fs::path> all_folders(const std::vector<Module>& more) {
  std::map<std::string, fs::path> folders;
  std::error_code none;
  for (const auto& folder : fs::directory_iterator(chapters_root(), none))
    if (folder.is_directory()) folders[folder.path().filename().string()] = folder.path();
  for (const auto& module : more) folders[module.name] = folder_of(module);
  for (const auto& module : loaded_modules()) folders[module.name] = folder_of(module);
  return folders;
}

}  // namespace

fs::path chapters_root() {
  if (const char* given = std::getenv("AISP_CHAPTERS")) return given;
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none);
  const fs::path beside = program.parent_path().parent_path().parent_path() / "chapters";
  return fs::is_directory(beside, none) ? beside : fs::path("chapters");
}

fs::path expectations_folder(const std::string& chapter) {
  for (const auto& module : loaded_modules())
    if (module.name == chapter) return folder_of(module);
  // A run file names chapters too, and must not name another folder.
  if (chapter.find('/') != std::string::npos || chapter.starts_with('.'))
    base::refuse(base::Exit::usage, "'", chapter, "' is no name of a chapter");
  return chapters_root() / chapter;
}

std::vector<fs::path> expectation_files(const std::string& chapter,
                                        const std::vector<Module>& more) {
  const auto folders = all_folders(more);
  if (folders.empty())
    base::refuse(base::Exit::environment, "no chapters folder at ", chapters_root().string(),
                 "; run from the repository, set AISP_CHAPTERS, or give --load MODULE");
  std::vector<fs::path> files;
  for (const auto& [name, folder] : folders) {
    std::error_code none;
    if (!chapter.empty() && name != chapter) continue;
    for (const auto& file : fs::directory_iterator(folder, none))
      if (file.path().filename().string().starts_with("expectations_") &&
          file.path().extension() == ".json")
        files.push_back(file.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace aisp::lab
