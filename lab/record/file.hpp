// Files that must not be lost: whole writes, atomic replacement, and refusals that say which file,
// why, and what to do instead.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace aisp::lab {

// Owns an open file; closes it at the end of its life.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor();

  int get() const { return fd_; }

 private:
  int fd_;
};

// Goes on after a signal or a short write. Refuses (Exit::environment) with the path, the system's
// reason and `way_out` when the bytes do not all go in.
void write_whole(int fd, std::string_view bytes, const std::filesystem::path& path,
                 std::string_view way_out);

// Readers see the old file or the new one, never a part, also after a power cut.
void replace_file(const std::filesystem::path& path, std::string_view text,
                  std::string_view way_out);

// Refuses a file that cannot be read (Exit::environment).
std::string read_whole(const std::filesystem::path& path);

// Makes a new or renamed name in the folder survive a power cut.
void sync_folder(const std::filesystem::path& folder);

// "cannot <what> <path>: <reason of errno>; <way out>", Exit::environment.
[[noreturn]] void refuse_file(std::string_view what, const std::filesystem::path& path,
                              std::string_view way_out);

}  // namespace aisp::lab
