#include "jit/cache/folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "base/refuse.hpp"
#include "base/temporary_file.hpp"

namespace aisp::jit {
namespace {

// Why a file or folder is not to be trusted; "" where it is.
std::string strangers_reach(const struct stat& facts) {
  if (facts.st_uid != geteuid())
    return base::say("belongs to user ", facts.st_uid, ", not to ", geteuid());
  if ((facts.st_mode & 022) != 0) {
    char mode[8];
    std::snprintf(mode, sizeof mode, "%04o", facts.st_mode & 07777);
    return base::say("may be written by others (mode ", mode, ")");
  }
  return "";
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

CacheFolder::CacheFolder(const std::filesystem::path& path, bool make) : path_(path) {
  if (make) {
    std::error_code ignored;  // what is wrong shows in the next two calls
    std::filesystem::create_directories(path.parent_path(), ignored);
    mkdir(path.c_str(), 0700);
  }
  folder_ = Descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat facts {};
  if (!folder_ || fstat(folder_.number(), &facts) != 0) {
    missing_ = errno == ENOENT;
    problem_ = base::say(path.string(), ": ", std::strerror(errno));
  } else if (const auto problem = strangers_reach(facts); !problem.empty()) {
    problem_ = base::say(path.string(), " ", problem);
  }
}

ReadFile CacheFolder::read(const std::string& name) const {
  ReadFile found;
  const Descriptor file(
      openat(folder_.number(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!file && errno == ENOENT) return found;
  found.there = true;
  struct stat facts {};
  if (!file || fstat(file.number(), &facts) != 0) {
    found.problem = errno == ELOOP ? "is a symbolic link" : std::strerror(errno);
    return found;
  }
  const auto bytes = static_cast<std::uint64_t>(facts.st_size);
  if (!S_ISREG(facts.st_mode))
    found.problem = "is no regular file";
  else
    found.problem = strangers_reach(facts);
  if (found.problem.empty() && bytes > largest_file)
    found.problem = base::say("has ", bytes, " bytes, more than ", largest_file);
  if (!found.problem.empty()) return found;
  found.bytes.resize(bytes);
  for (std::size_t at = 0; at < bytes;) {
    const auto step = ::read(file.number(), found.bytes.data() + at, bytes - at);
    if (step < 0 && errno == EINTR) continue;
    if (step < 0) found.problem = std::strerror(errno);
    if (step <= 0) {
      found.bytes.resize(at);
      break;
    }
    at += static_cast<std::size_t>(step);
  }
  return found;
}

std::string CacheFolder::write(const std::string& name, std::string_view bytes) const {
  base::TemporaryFile file(name, 0600, folder_.number());
  file.write(bytes);
  return file.put_in_place();
}

void CacheFolder::rename(const std::string& from, const std::string& to) const {
  if (renameat(folder_.number(), from.c_str(), folder_.number(), to.c_str()) != 0) remove(from);
}

bool CacheFolder::remove(const std::string& name) const {
  return unlinkat(folder_.number(), name.c_str(), 0) == 0;
}

void CacheFolder::mark_used(const std::string& name) const {
  utimensat(folder_.number(), name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

std::vector<FileFacts> CacheFolder::files() const {
  std::vector<FileFacts> found;
  const int again = openat(folder_.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* folder = again >= 0 ? fdopendir(again) : nullptr;
  if (folder == nullptr) return found;
  while (const dirent* one = readdir(folder)) {
    struct stat facts {};
    if (fstatat(folder_.number(), one->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISDIR(facts.st_mode)) continue;
    found.push_back({one->d_name, static_cast<std::uint64_t>(facts.st_size),
                     facts.st_mtim.tv_sec * std::int64_t{1000000000} + facts.st_mtim.tv_nsec});
  }
  closedir(folder);
  return found;
}

Descriptor CacheFolder::lock(const std::string& name, double seconds) const {
  Descriptor file(openat(folder_.number(), name.c_str(),
                         O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (!file) return {};
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (auto pause = std::chrono::milliseconds(1);;) {
    if (flock(file.number(), LOCK_EX | LOCK_NB) == 0) return file;
    if (errno != EWOULDBLOCK && errno != EINTR) return {};
    if (std::chrono::steady_clock::now() >= until) return {};
    std::this_thread::sleep_for(pause);
    if (pause < std::chrono::milliseconds(20)) pause *= 2;
  }
}

}  // namespace aisp::jit
