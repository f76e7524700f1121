// One timed run of a rung: what comes before the start event, the events, and what is looked at
// behind them. Samples and the check behind them are both taken here, so that what is judged ran
// exactly as what was timed.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

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

  // "" or the sentence that refuses the rung: some of its work was still running when its end event
  // completed, so that its time is not the time of the work. Takes further runs where the runs so
  // far do not decide.
  std::string unjoined_work(Contender& contender);

 private:
  Timed take_lingering(Contender& contender, int set, double linger_ms,
                       const std::function<void()>& ready, const std::function<void()>& meanwhile);
  void judge(Contender& contender, int set, Sample sample);
  void flush_l2();

  Device& device_;
  Buffers& buffers_;
  AsTimed& as_timed_;
  std::unique_ptr<Buffer> flush_;  // none: L2 is left as it is
};

// How long other streams went on after the launch stream was done, in milliseconds, over the runs
// of a rung; `lingered` is the same over runs where the host waited before it looked.
struct BusyAfter {
  const std::vector<double>& at_once;
  std::vector<double> lingered{};
};
// The host's clock measures both the work that is left and the call that waits for it, and that
// call takes longer for some rungs than for others. Only work gets shorter while the host waits.
// True: nothing but runs that linger can tell the two apart.
bool is_undecided(const BusyAfter& busy);
// "" or the sentence that refuses the rung.
std::string why_unjoined(const BusyAfter& busy, bool simulated);

}  // namespace aisp::lab
