// Names for what the host does while it enqueues work, so that a trace can say which step of a rung
// an interval of the device belongs to. NVTX ranges: any tool that listens sees them; without one
// they cost nanoseconds. A trace of the lab's own listens through a RangeSink.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <utility>
#include <vector>

namespace aisp::lab {

// Hears what this process says while a trace is taken; from any thread, in no other order than
// each thread's own.
class RangeSink {
 public:
  virtual ~RangeSink() = default;
  virtual void push(const std::string& name) = 0;
  virtual void pop() = 0;
  virtual void mark(const std::string& text) = 0;
};

// Who listens from now on; null: nobody. Returns who did.
RangeSink* set_range_sink(RangeSink* sink);

// The work that this thread enqueues while it lives belongs to "name"; ranges nest.
class Range {
 public:
  explicit Range(const std::string& name);
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  RangeSink* told_;  // who heard the beginning and is to hear the end
};

// The name of ranges in which a thread reads from storage. A trace counts them as an engine beside
// those of the device, so that what the disk's time hides is a number too.
inline constexpr const char* storage_range = "read from storage";

// A moment worth knowing: "4 streams, chunks of 8 MiB from here on".
void mark(const std::string& text);

// What the stream's track in a trace is called, until it is forgotten: before it is destroyed, for
// a trace asks the driver about every stream that has a name.
void name_stream(cudaStream_t stream, const std::string& name);
void forget_stream(cudaStream_t stream);

// The same for a stream that somebody else destroys: forgets it at its end.
class StreamLabel {
 public:
  StreamLabel(cudaStream_t stream, const std::string& name) : stream_(stream) {
    name_stream(stream, name);
  }
  StreamLabel(StreamLabel&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  StreamLabel& operator=(StreamLabel&&) = delete;
  ~StreamLabel() {
    if (stream_ != nullptr) forget_stream(stream_);
  }

 private:
  cudaStream_t stream_;
};

struct NamedStream {
  cudaStream_t stream = nullptr;
  std::string name;
};
std::vector<NamedStream> named_streams();

}  // namespace aisp::lab
