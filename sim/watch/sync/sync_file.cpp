#include "sim/watch/sync/sync_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/file.hpp"
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
  base::OpenedFile opened = base::open_to_append(path);
  for (std::size_t done = 0; opened.problem.empty() && done < text.size();) {
    const ssize_t written = ::write(opened.file.get(), text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR) opened.problem = std::strerror(errno);
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  if (opened.problem.empty() || complained_) return;
  complained_ = true;
  std::fprintf(stderr, "aisp sim: cannot write the record of a kernel to %s: %s\n", path.c_str(),
               opened.problem.c_str());
}

}  // namespace aisp::sim::watch
