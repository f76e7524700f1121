// One timed run of a rung: what comes before the start event, the events, and what is looked at
// behind them. Samples and the check behind them are both taken here, so that what is judged ran
// exactly as what was timed.
#pragma once

#include <functional>
#include <memory>

#include "lab/measure/l2.hpp"
#include "lab/run/bench/as_timed.hpp"
#include "lab/run/bench/buffers.hpp"
#include "lab/run/bench/contender.hpp"

namespace aisp::lab {

class Sampler {
 public:
  Sampler(Device& device, Buffers& buffers, AsTimed& as_timed, L2Mode l2);

  // `ready` is called when everything but the timed part has been enqueued; `meanwhile` runs on the
  // host while the device is busy.
  Timed take(
      Contender& contender, int set, const std::function<void()>& ready = [] {},
      const std::function<void()>& meanwhile = [] {});

  // Like take(), for a run whose outputs are judged: Buffers::kept_outputs() has what they were
  // when the end event completed. `after_hook` is called after the rung's before_each_run hook;
  // `first` enqueues what has to come directly before the start event, besides poison.
  void take_judged(Contender& contender, int set, const std::function<void()>& after_hook,
                   const std::function<void()>& first);
  // The same by the rung's own launches, with L2 as it is and a start that is not held.
  void launch_judged(Contender& contender, int set, const std::function<void()>& after_hook);

 private:
  void judge(Contender& contender, int set, Sample sample);
  void flush_l2();

  Device& device_;
  Buffers& buffers_;
  AsTimed& as_timed_;
  std::unique_ptr<Buffer> flush_;  // none: L2 is left as it is
};

// "" or the sentence that refuses the row: some work of the rung was still running when its end
// event completed, so that its time is not the time of the work.
std::string unjoined_work(const Contender& contender, bool simulated);

}  // namespace aisp::lab
