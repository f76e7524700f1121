#include <algorithm>
#include <filesystem>

#include "app/new/arguments.hpp"
#include "app/new/folder_writer.hpp"
#include "app/new/house_format.hpp"
#include "app/new/names.hpp"
#include "app/new/new_command.hpp"
#include "app/new/project.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/cli/expectation_places.hpp"

namespace aisp::app {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> chapters_below(const fs::path& root) {
  std::vector<std::string> chapters;
  std::error_code none;
  for (const auto& item : fs::directory_iterator(root, none))
    if (item.is_directory(none) && is_chapter_name(item.path().filename()))
      chapters.push_back(item.path().filename());
  std::sort(chapters.begin(), chapters.end());
  return chapters;
}

void require_chapter(const fs::path& root, const std::string& chapter) {
  const auto chapters = chapters_below(root);
  if (chapters.empty())
    base::refuse(
        base::Exit::environment, "there are no chapters in '", root.string(),
        "'; set AISP_CHAPTERS to the folder that has them, or begin a project of your own: "
        "aisp new project DIR");
  if (std::find(chapters.begin(), chapters.end(), chapter) != chapters.end()) return;
  const auto near = base::nearest(chapter, chapters);
  base::refuse(base::Exit::usage, "there is no chapter '", chapter, "' in '", root.string(), "'; ",
               near ? "did you mean " + *near + "? " : "", "it has ", base::join(chapters, ", "));
}

// No two targets of the chapters share a name; a build may have left some of them out.
void require_no_such_target(const fs::path& root, const std::string& name) {
  require_free_name(name, Among::chapters);
  std::error_code none;
  for (const auto& chapter : chapters_below(root))
    if (fs::exists(root / chapter / name, none))
      base::refuse(base::Exit::usage, "'", (root / chapter / name).string(),
                   "' is there; choose another name, nothing in it was touched");
}

int new_chapter_target(const std::string& chapter, const std::string& name, std::ostream& out) {
  const fs::path root = lab::chapters_root();
  require_chapter(root, chapter);
  require_no_such_target(root, name);
  const fs::path folder = root / chapter / name;
  const auto files = chapter_target_files(chapter, name);
  bool formatted = false;
  write_folder(folder, files, [&](const auto& paths) { formatted = format_files(paths); });
  const std::string id = chapter + ":" + name, path = chapter + "/" + name;
  out << folder.string() << ": " << list_of(files) << "\n"
      << what_it_computes << " docs/extend/target.md walks through it.\n\n"
      << (formatted ? "" : "make format\n")
      << "cmake --preset default -B build-one -DAISP_ONLY=" << path
      << " -DAISP_INSTANCES=OFF -DBUILD_TESTING=OFF\n"
      << "cmake --build build-one --target aisp\n"
      << "build-one/bin/aisp bench run --quick --targets " << id << "\n"
      << "build-one/bin/aisp check --targets " << id << "\n";
  return static_cast<int>(base::Exit::good);
}

fs::path folder_of_targets(const std::string& module, const std::string& given) {
  std::error_code none;
  if (!given.empty()) {
    if (!fs::is_directory(given, none))
      base::refuse(base::Exit::usage, "--dir '", given,
                   "' is no folder; give the one that "
                   "aisp_add_targets(",
                   module, " DIR …) names");
    return whole_path(given);
  }
  const auto modules = modules_above(fs::current_path());
  if (modules.empty())
    base::refuse(base::Exit::usage, "'", module,
                 "' is no chapter, and no CMakeLists.txt from here "
                 "upwards has aisp_add_targets(",
                 module,
                 " DIR …); go to the project, give --dir, "
                 "or begin one: aisp new project ",
                 module);
  const auto found = std::find_if(modules.begin(), modules.end(),
                                  [&](const Module& one) { return one.name == module; });
  std::vector<std::string> names;
  for (const auto& one : modules) names.push_back(one.name);
  if (found == modules.end())
    base::refuse(base::Exit::usage, "this project has no module '", module, "'; it has ",
                 base::join(names, ", "));
  if (!fs::is_directory(found->targets, none))
    base::refuse(base::Exit::usage, "the folder of '", module, "' is not to be found",
                 found->targets.empty() ? "" : " at '" + found->targets.string() + "'",
                 "; give it with --dir");
  return found->targets;
}

int new_module_target(const std::string& module, const std::string& name, const std::string& dir,
                      std::ostream& out) {
  require_module_name(module);
  require_free_name(name, Among::modules);
  const fs::path folder = folder_of_targets(module, dir) / name;
  require_free_folder(folder, folder.string());
  const auto files = module_target_files(module, name);
  write_folder(folder, files);
  const std::string load = " --load build/lib" + module + ".so --targets " + module + ":" + name;
  out << folder.string() << ": " << list_of(files) << "\n"
      << what_it_computes << "\n\n"
      << "cmake --build build\n"
      << "aisp bench run --quick" << load << "\n"
      << "aisp check" << load << "\n";
  return static_cast<int>(base::Exit::good);
}

}  // namespace

int new_target_command(const std::vector<std::string>& words, std::ostream& out) {
  const Given given =
      read_given("new target", words, "--dir", "chNN:name, or module:name within a project");
  const auto colon = given.word.find(':');
  if (colon == std::string::npos)
    base::refuse(base::Exit::usage, "new target '", given.word,
                 "' does not say where; write chNN:", given.word, ", or module:", given.word,
                 " within a project");
  const std::string owner = given.word.substr(0, colon), name = given.word.substr(colon + 1);
  require_target_name(name);
  if (!is_chapter_name(owner)) return new_module_target(owner, name, given.option, out);
  if (!given.option.empty())
    base::refuse(base::Exit::usage, "new target ", given.word,
                 " goes to its chapter; --dir is for a module's targets");
  return new_chapter_target(owner, name, out);
}

}  // namespace aisp::app
