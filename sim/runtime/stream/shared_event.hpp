// An event of several processes. Each record has a number, and its process; whether it has been
// reached stands in memory that all of them map.
#pragma once

#include <memory>

#include "sim/runtime/memory/segment.hpp"
#include "sim/runtime/stream/executor.hpp"

namespace aisp::sim {

class SharedEvent {
 public:
  SharedEvent();                                      // this process's, for others to open
  explicit SharedEvent(const SegmentHandle& handle);  // another process's; throws ApiError
  SharedEvent(const SharedEvent&) = delete;
  SharedEvent& operator=(const SharedEvent&) = delete;
  ~SharedEvent();

  SegmentHandle handle(int device) const;
  std::uint32_t begin_record();  // its number
  void reached(std::uint32_t number);

  // The last record: none, one of this process (whose mark is known there), or one of another.
  struct Last {
    std::uint32_t process = 0, number = 0;
  };
  Last last() const;
  bool is_reached(Last record) const;

 private:
  struct Words;
  int file_;
  bool imported_;
  Words* words_;
};

// A mark that is reached when that record of another process is, or that process is no more.
MarkPtr mark_of_other_process(const std::shared_ptr<SharedEvent>& event, SharedEvent::Last record);

}  // namespace aisp::sim
