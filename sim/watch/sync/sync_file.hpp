// Where records of synchronisation go: one line for each kernel in <folder>/<pid>.jsonl.
#pragma once

#include <mutex>
#include <set>
#include <string>

namespace aisp::sim::watch {

class SyncFile {
 public:
  // AISP_SIM_SYNC, which is there. An empty file says that kernels would have been recorded.
  explicit SyncFile(std::string folder);
  // At once: what was recorded is there when the program dies later. A kernel that does the same
  // once more adds nothing.
  void add(const std::string& record);

 private:
  void append(const std::string& text);

  std::mutex mutex_;
  std::string folder_;
  int process_ = 0;  // a forked child has a file of its own
  std::set<std::string> known_;
  bool complained_ = false;
};

}  // namespace aisp::sim::watch
