#include "lab/record/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/refuse.hpp"

namespace aisp::lab {

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

void refuse_file(std::string_view what, const std::filesystem::path& path,
                 std::string_view way_out) {
  const std::string reason = std::strerror(errno);
  base::refuse(base::Exit::environment, "cannot ", what, ' ', path.string(), ": ", reason, "; ",
               way_out);
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

void sync_folder(const std::filesystem::path& folder) {
  const auto& name = folder.empty() ? std::filesystem::path(".") : folder;
  const FileDescriptor fd(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot sync a folder; the data itself has been synced by then.
  if (fd.get() >= 0) ::fsync(fd.get());
}

void replace_file(const std::filesystem::path& path, std::string_view text,
                  std::string_view way_out) {
  static std::atomic<unsigned> count{0};
  const std::filesystem::path beside = base::say(path.string(), ".", ::getpid(), ".", count++);
  try {
    const FileDescriptor fd(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (fd.get() < 0) refuse_file("write", path, way_out);
    write_whole(fd.get(), text, path, way_out);
    if (::fsync(fd.get()) != 0) refuse_file("write", path, way_out);
    if (::rename(beside.c_str(), path.c_str()) != 0) refuse_file("replace", path, way_out);
  } catch (...) {
    ::unlink(beside.c_str());
    throw;
  }
  sync_folder(path.parent_path());
}

std::string read_whole(const std::filesystem::path& path) {
  constexpr std::string_view way_out = "check its permissions";
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) refuse_file("read", path, way_out);
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) refuse_file("read", path, way_out);
  if (!S_ISREG(info.st_mode)) {
    errno = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
    refuse_file("read", path, "give a regular file");
  }
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t got = ::read(fd.get(), text.data() + have, text.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse_file("read", path, way_out);
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  text.resize(have);
  return text;
}

}  // namespace aisp::lab
