// The queues between host and device, CUDA_DEVICE_MAX_CONNECTIONS of them: streams share them in
// the order of their making, and a kernel begins only when those that were launched into the same
// queue before it have begun, though its own stream would let it begin at once. Without the
// variable every stream has its own, which is more than a device has; in orders other than the
// earliest one there is no such limit, for there every order that streams and events allow is to be
// seen.
#pragma once

#include <cstdint>
#include <deque>
#include <map>

namespace aisp::sim {

struct QueuedJob;

class Connections {
 public:
  // That of a stream; -1 where they are not limited. Refuses a setting that is not 1 to 32.
  static int of_stream(int device, unsigned long long stream);

  void submitted(const QueuedJob& job);
  bool at_head(const QueuedJob& job) const;    // or not held by any
  double free_at(const QueuedJob& job) const;  // nanoseconds: when the one before it began
  void began(const QueuedJob& job, double nanoseconds);

 private:
  struct Queue {
    std::deque<std::uint64_t> waiting;  // sequence numbers of kernels that have not begun
    double last = 0;                    // when the last one began, nanoseconds
  };
  std::map<int, Queue> queues_;
};

}  // namespace aisp::sim
