// Streams behind their handles. Everything here is guarded by Runtime::mutex.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sim/cudart/runtime.hpp"
#include "sim/cudart/stream_executor.hpp"

namespace sim {

struct Capture;
struct GraphNode;

struct Stream {
  unsigned long long id = 0;
  int device = 0;
  unsigned flags = 0;
  int priority = 0;
  bool legacy = false;
  MarkPtr tail;  // of the last submission
  cudaSynchronizationPolicy policy = cudaSyncPolicyAuto;
  cudaAccessPolicyWindow window{};
  cudaLaunchMemSyncDomain domain = cudaLaunchMemSyncDomainDefault;
  cudaLaunchMemSyncDomainMap domain_map{0, 1};

  std::shared_ptr<Capture> capture;  // under way, maybe invalidated; null: none
  std::vector<GraphNode*> frontier;  // what the next captured node comes after

  // Synchronises with the legacy stream.
  bool blocking() const { return !legacy && (flags & cudaStreamNonBlocking) == 0; }
};

class Streams {
 public:
  static Streams& get();  // never destroyed

  Stream& create(int device, unsigned flags, int priority);
  void destroy(Stream& stream);
  // Any handle that the API takes; default streams are those of the current device. Throws
  // ApiError{cudaErrorInvalidResourceHandle}.
  Stream& find(cudaStream_t handle);

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
  std::vector<MarkPtr> orphans_[most_devices];  // unfinished work of destroyed blocking streams
};

inline cudaStream_t handle_of(Stream& stream) { return reinterpret_cast<cudaStream_t>(&stream); }

// Throws ApiError{cudaErrorNotPermitted} in a host function.
void require_permitted();

// A task on a stream that does not capture.
MarkPtr enqueue_task(Stream& stream, Task task);
// What the task takes, in a stream or graph of that device.
void place(Job& job, const Task& task, int device);

}  // namespace sim
