// When to stop timing one rung. The engine holds one StopRule per rung and feeds it each time in
// milliseconds; a rule sees nothing else, so made-up samples judge it.
#pragma once

#include <vector>

#include "lab/case/names.hpp"

namespace aisp::lab {

// steady: the goal was reached; cap: the goal was not, and the limit was; complete: the number of
// samples that was asked for has been taken.
enum class Stop { running, steady, cap, complete };

constexpr auto names_of(Stop) {
  return std::to_array<Name<Stop>>({{Stop::running, "running"},
                                    {Stop::steady, "steady"},
                                    {Stop::cap, "cap"},
                                    {Stop::complete, "complete"}});
}

class StopRule {
 public:
  virtual ~StopRule() = default;
  virtual void add(double ms) = 0;
  virtual Stop state() const = 0;
  bool done() const { return state() != Stop::running; }
};

// --iterations N
class Exactly : public StopRule {
 public:
  explicit Exactly(int count);
  void add(double) override { ++taken_; }
  Stop state() const override { return taken_ >= count_ ? Stop::complete : Stop::running; }

 private:
  int count_, taken_ = 0;
};

struct Steadiness {
  double half_width = 0.005;  // of the median's 95 % bootstrap interval, relative to the median
  int least = 20;             // samples
  int most = 200;
  int every = 10;  // samples between two looks: a bootstrap costs about a millisecond
};

class UntilSteady : public StopRule {
 public:
  explicit UntilSteady(Steadiness goal = {});
  void add(double ms) override;
  Stop state() const override { return state_; }

 private:
  bool steady() const;

  Steadiness goal_;
  std::vector<double> samples_;
  Stop state_ = Stop::running;
};

struct WarmupGoal {
  int least = 5;            // runs
  int most = 100;           // runs
  double most_ms = 1000.0;  // in all; a long kernel is warm after a few runs. Outranks `least`.
  int window = 3;           // runs whose median stands for "now"
  double fall = 0.02;       // a window this much below the one before it is still falling
};

// Warm once the last times have stopped falling: clocks up, caches and lazy loading done.
class Warmup : public StopRule {
 public:
  explicit Warmup(WarmupGoal goal = {});
  void add(double ms) override;
  Stop state() const override;

 private:
  bool still_falling() const;

  WarmupGoal goal_;
  std::vector<double> times_;
  double total_ms_ = 0.0;
};

}  // namespace aisp::lab
