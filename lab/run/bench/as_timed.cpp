#include "lab/run/bench/as_timed.hpp"

namespace aisp::lab {

void AsTimed::enqueue(const Contender& contender, int set) {
  if (timer_ != Timer::graph) return contender.run(buffers_.launch(set));
  auto& replay = replays_[{&contender, set}];
  // By value: a device may keep the work and run it again, long after this call.
  if (!replay)
    replay = device_.record([this, &contender, set] { contender.run(buffers_.launch(set)); });
  replay->enqueue();
}

}  // namespace aisp::lab
