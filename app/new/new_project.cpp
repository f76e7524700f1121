#include <algorithm>
#include <filesystem>

#include "app/new/arguments.hpp"
#include "app/new/folder_writer.hpp"
#include "app/new/names.hpp"
#include "app/new/new_command.hpp"
#include "base/refuse.hpp"

namespace aisp::app {
namespace {

namespace fs = std::filesystem;

// Where this program was installed, if it was; otherwise what the user has to fill in.
std::string with_prefix_of_program(std::string commands) {
  std::error_code none;
  const fs::path prefix = fs::read_symlink("/proc/self/exe", none).parent_path().parent_path();
  const std::string open = "<where aisp is installed>";
  const auto at = commands.find(open);
  if (at != std::string::npos && fs::is_directory(prefix / "lib/cmake/aisp", none))
    commands.replace(at, open.size(), prefix.string());
  return commands;
}

const std::string& text_of(const std::vector<NewFile>& files, const std::string& path) {
  return std::find_if(files.begin(), files.end(),
                      [&](const NewFile& file) { return file.path == path; })
      ->text;
}

}  // namespace

int new_project_command(const std::vector<std::string>& words, std::ostream& out) {
  Given given = read_given("new project", words, "--target", "a folder, such as ~/kernels");
  if (given.option.empty()) given.option = "axpy";
  const fs::path folder = whole_path(given.word);
  const std::string module = folder.filename();
  require_module_name(module);
  require_target_name(given.option);
  require_free_name(given.option, Among::modules);
  require_free_folder(folder, given.word);
  const auto files = project_files(module, given.option);
  write_folder(folder, files);
  out << folder.string() << ": " << list_of(files) << "\n"
      << what_it_computes << "\n\n"
      << "cd '" << folder.string() << "'\n"
      << with_prefix_of_program(commands_of(text_of(files, "README.md")));
  return static_cast<int>(base::Exit::good);
}

}  // namespace aisp::app
