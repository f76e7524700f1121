// One run of this target: bulk products that fill the device, and requests that arrive meanwhile.
// The rungs differ by the priorities of their streams and by nothing else.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "chapters/ch11/common/streams.hpp"
#include "lab/case/rung.hpp"
#include "tile/device/gemm/gemm.hpp"

namespace aisp::ch11 {

// As CUDA counts them: lower numbers are served first.
struct Priorities {
  int requests = 0, bulk = 0;
};

class Load {
 public:
  Load(const lab::Problem& problem, bool simulated, Priorities priorities);

  // Outside of a run's time: plans the products for the launch's buffers, and once measures how
  // long the bulk work takes by itself.
  void before(const lab::Launch& launch);
  void run(const lab::Launch& launch);

  // Of the last run, which must have ended.
  std::vector<double> latencies_ms() const;
  double bulk_ms() const { return bulk_end_.milliseconds_since(bulk_begin_); }
  double bulk_alone_ms() const { return bulk_alone_ms_.value_or(0.0); }
  // Of the requests, in percent: those that were answered before the bulk work ended.
  double under_load() const;

 private:
  // Two products in flight: when one runs out of blocks, the other has some.
  static constexpr int bulk_streams = 2;
  // Requests do not wait for one another as long as there is a stream for each. With the bulk's,
  // the clock and the lab's own there are eight, as many queues as a device is given by default.
  static constexpr int request_streams = 4;

  using Plans = std::vector<tile::device::Plan>;

  const Plans& plans_for(const lab::Launch& launch);
  void enqueue_bulk(const lab::Launch& launch);
  void send_requests(const lab::Launch& launch);

  bool simulated_;
  std::int64_t products_, requests_;
  SideStreams bulk_, request_streams_;
  // Gets nothing but events: one that is recorded here happens at once, whatever the others wait
  // for, and so has the time at which the host sent the request.
  SideStreams clock_;
  std::vector<Event> sent_, answered_;
  Event bulk_begin_{Event::Kind::times}, bulk_end_{Event::Kind::times};
  std::map<std::vector<void*>, Plans> plans_;  // by the outputs of a set of buffers
  std::optional<double> bulk_alone_ms_;
};

// A rung of the target: `priorities` are asked for when it is prepared.
lab::Run prepare_load(lab::Setup& setup, Priorities priorities);

}  // namespace aisp::ch11
