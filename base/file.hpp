// Files whose names come from a user, from another file or from a folder that others may write:
// only regular files are read, opening one never waits, and what is new is written beside its place
// under a random name. A FIFO, a device or a planted symbolic link gets a sentence and no more.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace aisp::base {

// Owns an open file; closes it at the end of its life.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  int get() const { return fd_; }

 private:
  int fd_;
};

// What a file that is not regular is; "" for a regular one.
inline std::string problem_with_kind(mode_t mode) {
  if (S_ISREG(mode)) return "";
  if (S_ISDIR(mode)) return std::strerror(EISDIR);
  if (S_ISFIFO(mode)) return "it is a FIFO, not a regular file";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "it is a device, not a regular file";
  if (S_ISSOCK(mode)) return "it is a socket, not a regular file";
  if (S_ISLNK(mode)) return "it is a symbolic link, not a regular file";
  return "it is no regular file";
}

struct OpenedFile {
  FileDescriptor file{};
  std::string problem{};  // the reason when it is not open; "" when it is
  bool missing = false;   // there is no such file
};

namespace detail {

inline OpenedFile not_open(int reason) {
  OpenedFile result;
  result.problem = reason == ELOOP ? problem_with_kind(S_IFLNK) : std::strerror(reason);
  result.missing = reason == ENOENT || reason == ENOTDIR;
  return result;
}

// Without O_NONBLOCK, opening a FIFO waits until another process opens its other end.
inline OpenedFile open_regular(int folder, const char* name, int flags, mode_t mode = 0) {
  struct stat facts {};
  // A device may act on being opened, so it is looked at first. A name that is new is fine.
  if (::fstatat(folder, name, &facts, (flags & O_NOFOLLOW) != 0 ? AT_SYMLINK_NOFOLLOW : 0) == 0) {
    if (std::string kind = problem_with_kind(facts.st_mode); !kind.empty())
      return {.problem = std::move(kind)};
  } else if (errno != ENOENT) {
    return not_open(errno);
  }
  OpenedFile opened{.file = FileDescriptor(
                        ::openat(folder, name, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode))};
  if (opened.file.get() < 0 || ::fstat(opened.file.get(), &facts) != 0) return not_open(errno);
  // Another file may have taken the name in between.
  if (std::string kind = problem_with_kind(facts.st_mode); !kind.empty())
    return {.problem = std::move(kind)};
  return opened;
}

}  // namespace detail

inline OpenedFile open_to_read(const std::filesystem::path& path) {
  return detail::open_regular(AT_FDCWD, path.c_str(), O_RDONLY);
}

// Made where it is missing; no symbolic link is followed at its end.
inline OpenedFile open_to_append(const std::filesystem::path& path) {
  return detail::open_regular(AT_FDCWD, path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW,
                              0644);
}

// To read and to append to, where it is there already. No symbolic link is followed at its end.
inline OpenedFile open_to_change(const std::filesystem::path& path) {
  return detail::open_regular(AT_FDCWD, path.c_str(), O_RDWR | O_APPEND | O_NOFOLLOW);
}

// Whether a name that another file holds can only be of a file below its folder, links aside.
inline bool stays_below(const std::filesystem::path& name) {
  if (name.empty() || name.is_absolute() || name.filename().empty()) return false;
  for (const auto& step : name)
    if (step == "..") return false;
  return true;
}

// Of a file that another file names: opened below `folder` and nowhere else. Absolute names, ".."
// and symbolic links on the way are refused.
inline OpenedFile open_below(const std::filesystem::path& folder,
                             const std::filesystem::path& name) {
  if (!stays_below(name)) return {.problem = "it is not below " + folder.string()};
  FileDescriptor at(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (at.get() < 0) return detail::not_open(errno);
  for (const auto& step : name.parent_path()) {
    FileDescriptor next(
        ::openat(at.get(), step.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (next.get() < 0) {
      const int reason = errno;
      struct stat facts {};
      const bool link = ::fstatat(at.get(), step.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
                        S_ISLNK(facts.st_mode);
      return detail::not_open(link ? ELOOP : reason);
    }
    at = std::move(next);
  }
  return detail::open_regular(at.get(), name.filename().c_str(), O_RDONLY | O_NOFOLLOW);
}

// More than any file that aisp reads whole has.
inline constexpr std::uint64_t most_file_bytes = std::uint64_t{1} << 30;

struct FileText {
  std::string text{};
  std::string problem{};  // "" when the text is all of the file
  bool missing = false;
};

// From its beginning up to the size that it has now.
inline FileText read_all(int fd, std::uint64_t most = most_file_bytes) {
  FileText read;
  struct stat facts {};
  if (::fstat(fd, &facts) != 0) return {.problem = std::strerror(errno)};
  const auto bytes = static_cast<std::uint64_t>(facts.st_size);
  if (bytes > most)
    return {.problem =
                "it has " + std::to_string(bytes) + " bytes, more than " + std::to_string(most)};
  read.text.resize(bytes);
  std::size_t have = 0;
  while (have < read.text.size()) {
    const ssize_t got =
        ::pread(fd, read.text.data() + have, read.text.size() - have, static_cast<off_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) read.problem = std::strerror(errno);
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  read.text.resize(have);
  return read;
}

inline FileText read_all(const OpenedFile& opened, std::uint64_t most = most_file_bytes) {
  if (!opened.problem.empty()) return {.problem = opened.problem, .missing = opened.missing};
  return read_all(opened.file.get(), most);
}

inline FileText read_file(const std::filesystem::path& path, std::uint64_t most = most_file_bytes) {
  return read_all(open_to_read(path), most);
}

}  // namespace aisp::base
