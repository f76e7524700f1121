#include "lab/measure/stopping.hpp"

#include <stdexcept>

#include "base/refuse.hpp"
#include "lab/measure/statistics.hpp"

namespace aisp::lab {

Exactly::Exactly(int count) : count_(count) {
  if (count < 0) throw std::invalid_argument(base::say("exactly ", count, " samples: negative"));
}

UntilSteady::UntilSteady(Steadiness goal) : goal_(goal) {
  if (goal.least < 1 || goal.most < goal.least || goal.every < 1)
    throw std::invalid_argument(base::say("until steady: least ", goal.least, ", most ", goal.most,
                                          ", every ", goal.every,
                                          "; needs 1 <= least <= most and every >= 1"));
}

void UntilSteady::add(double ms) {
  samples_.push_back(ms);
  if (state_ != Stop::running) return;
  const int count = static_cast<int>(samples_.size());
  const bool look = count >= goal_.least && (count - goal_.least) % goal_.every == 0;
  if ((look || count >= goal_.most) && steady())
    state_ = Stop::steady;
  else if (count >= goal_.most)
    state_ = Stop::cap;
}

bool UntilSteady::steady() const {
  const Interval interval = bootstrap_median(samples_);
  return 0.5 * (interval.high - interval.low) <= goal_.half_width * median(samples_);
}

Warmup::Warmup(WarmupGoal goal) : goal_(goal) {
  if (goal.least < 0 || goal.most < goal.least || goal.window < 1)
    throw std::invalid_argument(base::say("warm-up: least ", goal.least, ", most ", goal.most,
                                          ", window ", goal.window,
                                          "; needs 0 <= least <= most and window >= 1"));
}

void Warmup::add(double ms) {
  times_.push_back(ms);
  total_ms_ += ms;
}

Stop Warmup::state() const {
  const int count = static_cast<int>(times_.size());
  if (count >= goal_.least && count >= 2 * goal_.window && !still_falling()) return Stop::steady;
  return count >= goal_.most || total_ms_ >= goal_.most_ms ? Stop::cap : Stop::running;
}

bool Warmup::still_falling() const {
  const auto now = times_.end() - goal_.window, before = now - goal_.window;
  return median({now, times_.end()}) < (1.0 - goal_.fall) * median({before, now});
}

}  // namespace aisp::lab
