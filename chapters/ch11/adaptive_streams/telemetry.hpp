// What the controller gets to know while the load runs: moments of chunks, read from events once
// they have passed. It also keeps the host from running far ahead: what is enqueued has its setting
// already.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "chapters/ch11/adaptive_streams/controller.hpp"
#include "chapters/ch11/adaptive_streams/lanes.hpp"

namespace aisp::ch11 {

class Telemetry {
 public:
  Telemetry();

  void begin_run(cudaStream_t stream);
  void begin_request(bool measured);

  // Tells the controller about chunks that have left since. Waits, asking again and again, until
  // one more chunk of this setting may be enqueued: in a request, when all streams have one and a
  // few are in front of them; at its beginning, when those of the request before are all but gone,
  // since none of its own could begin earlier.
  void collect(Controller& controller, const Setting& setting, bool in_request);
  // For a chunk that is enqueued now. Of a long request the first chunks are measured, and some
  // now and then: to record four moments of each would cost a few per cent.
  ChunkEvents* next(std::int64_t bytes);

 private:
  struct Chunk {
    ChunkEvents* events = nullptr;
    std::int64_t bytes = 0;
    std::int64_t row = 0;    // of measured chunks that follow each other
    bool neighbours = true;  // those that may have run beside it are measured too
  };
  struct Moments {  // microseconds since the run began
    double ready = 0, arrived = 0, computed = 0, left = 0;
    double bytes = 0;
  };
  bool take_oldest(Controller& controller);
  ChunkTimes times_of(const Moments& now) const;
  double moment(const Event& event) const { return 1e3 * event.milliseconds_since(origin_); }

  Event origin_{Event::Kind::times};
  std::vector<ChunkEvents> events_;  // taken in turn
  std::size_t next_ = 0;
  std::deque<Chunk> under_way_;
  std::int64_t bytes_under_way_ = 0;
  std::int64_t row_ = 0;
  std::int64_t in_request_ = 0;  // chunks of this request so far
  bool measured_ = false;        // this request
  std::deque<Moments> earlier_;  // chunks of the same row that have left, newest last
  std::int64_t earlier_row_ = -1;
};

}  // namespace aisp::ch11
