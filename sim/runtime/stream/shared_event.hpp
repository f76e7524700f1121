// Events that several processes record and wait for: two counters in memory that all of them map.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "sim/runtime/memory/process_file.hpp"

namespace aisp::sim {

class SharedEvent {
 public:
  SharedEvent();                                 // a new one
  explicit SharedEvent(const FilePlace& place);  // another process's
  SharedEvent(const SharedEvent&) = delete;
  SharedEvent& operator=(const SharedEvent&) = delete;
  ~SharedEvent();

  const FilePlace& place() const { return place_; }
  // Records are numbered from 1 as they are submitted, and are reached in the order in which
  // streams come to them.
  std::uint64_t record() const { return ++counters_->recorded; }
  std::uint64_t recorded() const { return counters_->recorded.load(); }
  void reach(std::uint64_t number) const;
  bool reached(std::uint64_t number) const { return counters_->reached.load() >= number; }

 private:
  struct Counters {
    std::atomic<std::uint64_t> recorded, reached;  // in zeroed memory
  };
  FilePlace place_;
  bool own_ = false;
  Counters* counters_ = nullptr;
};

}  // namespace aisp::sim
