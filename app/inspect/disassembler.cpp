#include "app/inspect/disassembler.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace aisp::app {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> tool_folders() {
  std::vector<fs::path> folders;
  if (const char* path = std::getenv("PATH"))
    for (const auto& folder : base::split(path, ':'))
      if (!folder.empty()) folders.emplace_back(folder);
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = std::getenv(variable)) folders.push_back(fs::path(root) / "bin");
  folders.emplace_back("/usr/local/cuda/bin");
  return folders;
}

// What a program writes to standard output; nothing where it cannot be started or fails.
std::optional<std::string> output_of(const std::vector<std::string>& words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> pointers;
  for (const auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawn(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  std::array<char, 1 << 16> bytes;
  for (ssize_t count = 0; error == 0 && (count = read(ends[0], bytes.data(), bytes.size())) != 0;)
    if (count > 0)
      text.append(bytes.data(), static_cast<std::size_t>(count));
    else if (errno != EINTR)
      break;
  close(ends[0]);
  int status = 0;
  if (error != 0 || waitpid(child, &status, 0) != child || status != 0) return std::nullopt;
  return text;
}

}  // namespace

fs::path find_disassembler() {
  for (const char* tool : {"nvdisasm", "cuobjdump"})
    for (const auto& folder : tool_folders())
      if (const fs::path file = folder / tool; access(file.c_str(), X_OK) == 0) return file;
  return {};
}

std::string part_of_kernel(const std::string& disassembly, const std::string& kernel) {
  // Parts begin with a line such as "//----- .text.softmax -----".
  const std::string title = ".text." + kernel;
  std::string part;
  bool inside = false;
  for (const auto& line : base::split(disassembly, '\n')) {
    if (line.starts_with("//---")) {
      const auto at = line.find(title);
      const auto behind = at == std::string::npos ? at : at + title.size();
      inside = at != std::string::npos && (behind >= line.size() || line[behind] == ' ');
    }
    if (inside) part += line + '\n';
  }
  return part.empty() ? disassembly : part;
}

Disassembly disassemble(const fs::path& cubin, const std::string& kernel) {
  const fs::path tool = find_disassembler();
  if (tool.empty())
    return {"", "",
            "neither nvdisasm nor cuobjdump is on the PATH; both come with the CUDA toolkit"};
  const bool cuobjdump = tool.filename() == "cuobjdump";
  std::vector<std::string> words{tool.string()};
  if (cuobjdump) {
    words.emplace_back("-sass");
    if (!kernel.empty()) words.insert(words.end(), {"-fun", kernel});
  } else {
    words.emplace_back("-c");
  }
  words.push_back(cubin.string());
  auto text = output_of(words);
  if (!text || text->empty())
    return {"", "", base::say(tool.string(), " cannot read ", cubin.string())};
  const bool whole = cuobjdump || kernel.empty();
  return {whole ? std::move(*text) : part_of_kernel(*text, kernel), tool.string(), ""};
}

}  // namespace aisp::app
