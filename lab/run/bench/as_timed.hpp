// Runs a rung the way its samples run it: by its own launches, or by the replay of a graph that
// was recorded of them. Timing and the check behind it share one of these, so that what is judged
// is what was timed.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "lab/record/modes.hpp"
#include "lab/run/bench/buffers.hpp"
#include "lab/run/bench/contender.hpp"

namespace aisp::lab {

class AsTimed {
 public:
  AsTimed(Device& device, const Buffers& buffers, Timer timer)
      : device_(device), buffers_(buffers), timer_(timer) {}

  void enqueue(const Contender& contender, int set);

 private:
  Device& device_;
  const Buffers& buffers_;
  Timer timer_;
  // One recorded graph per rung and buffer set, made at first use.
  std::map<std::pair<const Contender*, int>, std::unique_ptr<Replay>> replays_;
};

}  // namespace aisp::lab
