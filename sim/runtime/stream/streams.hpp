// Streams behind their handles. Guarded by Runtime::mutex.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "sim/runtime/stream/stream.hpp"

namespace aisp::sim {

// For programs built for per-thread default streams: stream 0 of this thread means
// cudaStreamPerThread while one lives.
class PerThreadDefault {
 public:
  PerThreadDefault();
  PerThreadDefault(const PerThreadDefault&) = delete;
  PerThreadDefault& operator=(const PerThreadDefault&) = delete;
  ~PerThreadDefault();
  static bool active();

 private:
  bool before_;
};

class Streams {
 public:
  static Streams& get();  // never destroyed

  // `green`: the green context that it is of; null: none.
  Stream& create(int device, unsigned flags, int priority, const Context* green = nullptr);
  void destroy(Stream& stream);
  // Any handle that the API takes; default streams are those of the current device. Throws
  // ApiError{cudaErrorInvalidResourceHandle}, or ApiError{cudaErrorContextIsDestroyed} where its
  // green context is gone.
  Stream& find(cudaStream_t handle);
  // Those of a green context, or those of a device that are of none.
  std::vector<Stream*> of(const Context& context);
  // Streams that are made in the green context from here on come after the mark.
  void let_wait(const Context& green, const MarkPtr& mark) { awaited_[&green].push_back(mark); }

  MarkPtr default_tail(int device) const { return legacy_[device]->tail; }

  // What a submission to the stream would come after.
  std::vector<MarkPtr> before(const Stream& stream);
  // A copy between devices in a default stream is in those of both ends as well.
  MarkPtr enqueue(Stream& stream, Job job);

 private:
  Streams();
  Stream& of_this_thread();

  unsigned long long next_id_ = 1;
  Stream* legacy_[most_devices] = {};  // of each device
  std::map<const Stream*, std::unique_ptr<Stream>> all_;
  std::map<const Context*, std::vector<MarkPtr>> awaited_;
  std::vector<MarkPtr> orphans_[most_devices];  // unfinished work of destroyed blocking streams
};

// The SMs that kernels in the stream may use: those of its green context, in a default stream of
// the current one. Null: all.
std::shared_ptr<const DevicePart> part_of_stream(cudaStream_t handle);
std::shared_ptr<const DevicePart> part_of_stream(const Stream& stream);

// Throws ApiError{cudaErrorNotPermitted} in a host function.
void require_permitted();

// A task on a stream that does not capture.
MarkPtr enqueue_task(Stream& stream, Task task);

}  // namespace aisp::sim
