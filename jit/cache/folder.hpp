// The folder of the cache, opened once: every file is named relative to it, so that nobody can
// put another folder in its place between two looks.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aisp::jit {

// A descriptor that is closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }

 private:
  int number_ = -1;
};

struct FileFacts {
  std::string name;
  std::uint64_t bytes = 0;
  std::int64_t used = 0;  // nanoseconds since 1970
};

// What reading a file came to: its bytes, or that there is none, or why it is not to be trusted.
struct ReadFile {
  bool there = false;
  std::string bytes, problem;
};

class CacheFolder {
 public:
  static constexpr std::uint64_t largest_file = 64 << 20;

  // Made (mode 0700) where it is missing. `problem` says why it cannot be used; then nothing else
  // is to be called.
  explicit CacheFolder(const std::filesystem::path& path, bool make = true);
  const std::string& problem() const { return problem_; }
  bool missing() const { return missing_; }

  // Only a regular file of this user's that nobody else may write.
  ReadFile read(const std::string& name) const;
  // Whole or not at all: into a temporary file, which is forced to disk and then renamed. The
  // system's words where that failed, else empty.
  std::string write(const std::string& name, std::string_view bytes) const;
  void rename(const std::string& from, const std::string& to) const;
  bool remove(const std::string& name) const;
  void mark_used(const std::string& name) const;
  std::vector<FileFacts> files() const;

  // An exclusive lock on a file, which ends with the descriptor or the process. Nothing where it
  // was not to be had within the time, or where the file system has no locks.
  Descriptor lock(const std::string& name, double seconds) const;

 private:
  std::filesystem::path path_;
  Descriptor folder_;
  std::string problem_;
  bool missing_ = false;
};

}  // namespace aisp::jit
