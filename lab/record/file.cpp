#include "lab/record/file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/refuse.hpp"
#include "base/temporary_file.hpp"

namespace aisp::lab {
namespace {

[[noreturn]] void refuse_reason(std::string_view what, const std::filesystem::path& path,
                                std::string_view reason, std::string_view way_out) {
  base::refuse(base::Exit::environment, "cannot ", what, ' ', path.string(), ": ", reason, "; ",
               way_out);
}

std::string whole_text(base::FileText read, const std::filesystem::path& path) {
  if (!read.problem.empty())
    refuse_reason("read", path, read.problem, "give a regular file that you may read");
  return std::move(read.text);
}

}  // namespace

void refuse_file(std::string_view what, const std::filesystem::path& path,
                 std::string_view way_out) {
  refuse_reason(what, path, std::strerror(errno), way_out);
}

void write_whole(int fd, std::string_view bytes, const std::filesystem::path& path,
                 std::string_view way_out) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse_file("write", path, way_out);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void replace_file(const std::filesystem::path& path, std::string_view text,
                  std::string_view way_out) {
  if (const std::string problem = base::replace_file(path, text); !problem.empty())
    refuse_reason("write", path, problem, way_out);
}

std::string read_whole(const std::filesystem::path& path) {
  return whole_text(base::read_file(path), path);
}

std::string read_whole(int fd, const std::filesystem::path& path) {
  return whole_text(base::read_all(fd), path);
}

}  // namespace aisp::lab
