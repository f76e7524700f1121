// Streams that carry chunks: one lane copies a chunk in, works on it and copies it out, in its own
// part of device memory, while other lanes do the same with other chunks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "chapters/ch11/adaptive_streams/load.hpp"
#include "chapters/ch11/common/streams.hpp"

namespace aisp::ch11 {

// Moments of one chunk; those of a chunk that is not measured are not recorded, but for the last.
struct ChunkEvents {
  Event ready{Event::Kind::times}, arrived{Event::Kind::times}, computed{Event::Kind::times},
      left{Event::Kind::times};
  bool measured = false;
};

class Lanes {
 public:
  // As many streams and as much device memory as a setting within the limits may ask for.
  Lanes(lab::Setup& setup, const Limits& limits);

  // Between these two come the chunks of one request. The lanes begin after what the stream has,
  // and the stream goes on when they are done.
  void begin_request(cudaStream_t stream);
  void end_request(cudaStream_t stream);

  // From the next chunk on. Parts of memory change their lanes: a lane waits for those that have
  // used its new part in this request.
  void use(const Setting& setting);
  const Setting& setting() const { return setting_; }

  // The lanes take chunks in turn.
  void enqueue(const lab::Launch& launch, const Request& rows, ChunkEvents* events = nullptr);

 private:
  struct Lane {
    explicit Lane(int number) : stream("lane " + std::to_string(number)) {}
    Stream stream;
    Event done;
    bool busy = false;                // has had a chunk of this request
    std::int64_t first = 0, end = 0;  // bytes of device memory that it has used in it
  };
  void take(Lane& lane);

  char* memory_;
  std::vector<Lane> lanes_;
  Event begin_;
  Setting setting_;
  int next_ = 0;  // lane
};

// The time of each phase, as figures beside that of the run: moments on the launch's stream.
class PhaseClock {
 public:
  explicit PhaseClock(lab::Setup& setup);
  // Moment 0 is the beginning, moment i the end of phase i - 1.
  void record(int moment, cudaStream_t stream) const;

 private:
  std::shared_ptr<std::vector<Event>> moments_;
};

}  // namespace aisp::ch11
