// The timed part of an entry: all rungs that gave right numbers, interleaved, one timer for all.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "lab/measure/stopping.hpp"
#include "lab/measure/throttle.hpp"
#include "lab/run/bench/buffers.hpp"
#include "lab/run/bench/contender.hpp"
#include "lab/run/bench/emit.hpp"
#include "lab/run/bench/sampler.hpp"

namespace aisp::lab {

class Timing {
 public:
  Timing(Device& device, Buffers& buffers, Sampler& sampler, ThrottleWatch& watch, const Job& job,
         const Emit& emit);

  void warm_up(Contender& contender);

  // Fills the contenders' samples until every one's stop rule is content. `attempt` and `done`
  // (share of the entry before and after) only go into records and progress.
  void measure(const std::vector<Contender*>& contenders, int attempt,
               const std::pair<double, double>& done);

 private:
  // The first one of a simulated rung is counted, too: that does not change its time.
  Timed sample(Contender& contender, int set);
  std::unique_ptr<StopRule> stop_rule() const;

  Device& device_;
  Buffers& buffers_;
  Sampler& sampler_;
  ThrottleWatch& watch_;
  const Job& job_;
  const Emit& emit_;
};

}  // namespace aisp::lab
