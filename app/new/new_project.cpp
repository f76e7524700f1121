#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "app/new/arguments.hpp"
#include "app/new/folder_writer.hpp"
#include "app/new/names.hpp"
#include "app/new/new_command.hpp"
#include "base/home.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/device/device.hpp"

namespace aisp::app {
namespace {

namespace fs = std::filesystem;

// As one word of a shell.
std::string quoted(const std::string& text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string made = "'";
  for (const char letter : text) made += letter == '\'' ? "'\\''" : std::string(1, letter);
  return made + "'";
}

// The first file of this name in the folders of PATH; empty where there is none.
fs::path on_path(const std::string& name) {
  const char* path = base::environment("PATH");
  std::error_code none;
  for (const auto& folder : base::split(path != nullptr ? path : "", ':'))
    if (!folder.empty() && access((fs::path(folder) / name).c_str(), X_OK) == 0)
      return fs::canonical(fs::path(folder) / name, none);
  return {};
}

void replace_in(std::string& line, const std::string& old, const std::string& now) {
  if (const auto at = line.find(old); at != std::string::npos) line.replace(at, old.size(), now);
}

// The option that CMake needs where nvcc is not on the path.
std::string compiler_option() {
  if (!on_path("nvcc").empty()) return "";
  std::vector<std::string> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = base::environment(variable)) roots.emplace_back(root);
  roots.insert(roots.end(), {"/usr/local/cuda", "/opt/cuda"});
  for (const auto& root : roots)
    if (access((root + "/bin/nvcc").c_str(), X_OK) == 0)
      return " -DCMAKE_CUDA_COMPILER=" + quoted(root + "/bin/nvcc");
  return "";
}

// The page's commands as they work on this machine: with the package where it is or with its
// installation out of this build, with this program by its path, and on the simulator where there
// is no GPU.
std::string as_they_work_here(const std::string& commands, const fs::path& folder) {
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none);
  fs::path prefix = program.parent_path().parent_path();
  std::string made;
  if (!fs::is_directory(prefix / "lib/cmake/aisp", none)) {
    // `make demo` builds the program alone, and an installation takes the libraries too.
    if (!fs::exists(prefix / "lib/libaisp.so", none))
      made = "cmake --build " + quoted(prefix) + " > /dev/null\n";
    made += "cmake --install " + quoted(prefix) + " --prefix " + quoted(folder / "build/aisp") +
            " > /dev/null\n";
    prefix = folder / "build/aisp";
  }
  const std::string name = on_path("aisp") == program ? "aisp" : quoted(program);
  const bool simulated = !lab::why_no_cuda_device().empty();
  for (auto line : base::split(commands, '\n')) {
    replace_in(line, "<where aisp is installed>", quoted(prefix) + compiler_option());
    if (line.starts_with("aisp ")) line.replace(0, 4, name);
    if (simulated) replace_in(line, "--update-expectations", "--device sim --update-expectations");
    if (!line.empty()) made += line + "\n";
  }
  return made;
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
      << "cd " << quoted(folder) << "\n"
      << as_they_work_here(commands_of(text_of(files, "README.md")), folder);
  return static_cast<int>(base::Exit::good);
}

}  // namespace aisp::app
