#include "sim/watch/sync/sync_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/refuse.hpp"

namespace aisp::sim::watch {

SyncFile::SyncFile(std::string folder) : folder_(std::move(folder)) { append(""); }

void SyncFile::add(const std::string& record) {
  const std::lock_guard lock(mutex_);
  if (process_ != ::getpid()) {
    process_ = ::getpid();
    known_.clear();
  }
  if (known_.insert(record).second) append(record + "\n");
}

void SyncFile::append(const std::string& text) {
  const std::string path = base::say(folder_, "/", ::getpid(), ".jsonl");
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  bool good = file >= 0;
  for (std::size_t done = 0; good && done < text.size();) {
    const ssize_t written = ::write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    good = written >= 0;
    if (good) done += static_cast<std::size_t>(written);
  }
  const int reason = errno;
  if (file >= 0) ::close(file);
  if (good || complained_) return;
  complained_ = true;
  std::fprintf(stderr, "aisp sim: cannot write the record of a kernel to %s: %s\n", path.c_str(),
               std::strerror(reason));
}

}  // namespace aisp::sim::watch
