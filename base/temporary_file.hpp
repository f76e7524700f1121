// A file that is written beside the one it will replace. Its name is random, and it must be new: a
// symbolic link or a file that somebody planted in a shared folder is neither followed nor used.
#pragma once

#include <sys/random.h>

#include <array>
#include <cstdio>
#include <random>

#include "base/file.hpp"

namespace aisp::base {

// <name>.<16 digits>.tmp
inline std::string temporary_name(const std::string& name) {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) {
    std::random_device device;
    number = std::uint64_t{device()} << 32 | device();
  }
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), ".%016llx.tmp",
                static_cast<unsigned long long>(number));
  return name + digits.data();
}

class TemporaryFile {
 public:
  // Beside `target`, which is relative to the open folder `folder`.
  explicit TemporaryFile(const std::filesystem::path& target, mode_t mode = 0644,
                         int folder = AT_FDCWD)
      : folder_(folder), target_(target.string()) {
    struct stat facts {};
    // In the place of a device or a FIFO there would be a file afterwards.
    if (::fstatat(folder_, target_.c_str(), &facts, 0) == 0)
      problem_ = problem_with_kind(facts.st_mode);
    constexpr int tries = 8;
    for (int i = 0; i < tries && problem_.empty() && file_.get() < 0; ++i) {
      name_ = temporary_name(target_);
      file_ = FileDescriptor(::openat(folder_, name_.c_str(),
                                      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
      if (file_.get() < 0 && errno != EEXIST) problem_ = std::strerror(errno);
    }
    if (problem_.empty() && file_.get() < 0) problem_ = std::strerror(EEXIST);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (file_.get() >= 0) ::unlinkat(folder_, name_.c_str(), 0);
  }

  // Goes on after a signal or a short write.
  void write(std::string_view bytes) {
    while (problem_.empty() && !bytes.empty()) {
      const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) problem_ = std::strerror(errno);
      if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  // Puts it in its target's place, on disk first unless a power cut may cost it. "" or why that
  // failed, or a write before.
  std::string put_in_place(bool durable = true) {
    if (problem_.empty() && durable && ::fsync(file_.get()) != 0) problem_ = std::strerror(errno);
    if (problem_.empty() && ::renameat(folder_, name_.c_str(), folder_, target_.c_str()) != 0)
      problem_ = std::strerror(errno);
    if (problem_.empty()) file_ = FileDescriptor();
    return problem_;
  }

 private:
  int folder_;
  std::string target_, name_, problem_;
  FileDescriptor file_;
};

// Makes a new or renamed name in the folder survive a power cut. Some file systems cannot sync a
// folder; the data itself has been synced by then.
inline void sync_folder(const std::filesystem::path& folder) {
  const FileDescriptor fd(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() >= 0) ::fsync(fd.get());
}

// Readers see the old file or the new one, never a part, also after a power cut. "" or the reason.
[[nodiscard]] inline std::string replace_file(const std::filesystem::path& path,
                                              std::string_view text) {
  TemporaryFile file(path);
  file.write(text);
  std::string problem = file.put_in_place();
  if (problem.empty()) sync_folder(path.parent_path());
  return problem;
}

}  // namespace aisp::base
