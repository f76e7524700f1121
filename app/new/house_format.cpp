#include "app/new/house_format.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace aisp::app {
namespace {

// Whether the program was there and ended well.
bool run(std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t process = -1;
  if (posix_spawnp(&process, pointers[0], nullptr, nullptr, pointers.data(), environ) != 0)
    return false;
  int status = 0;
  return waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool has_format(const std::filesystem::path& file) {
  return file.extension() == ".cpp" || file.extension() == ".hpp" || file.extension() == ".cu";
}

}  // namespace

bool format_files(const std::vector<std::filesystem::path>& files) {
  // The version is that of tests/architecture/format.py; Debian 12 calls it by both names.
  std::vector<std::string> words{"clang-format-14", "-i", "--style=file", "--fallback-style=none"};
  for (const auto& file : files)
    if (has_format(file)) words.push_back(file.string());
  return run(words);
}

}  // namespace aisp::app
