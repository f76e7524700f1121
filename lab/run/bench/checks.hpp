// Right or wrong: a rung's outputs against the reference, on poisoned buffers. Before timing on the
// first set of buffers by the rung's own launches; behind it on several sets, the way the samples
// ran.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/case/case.hpp"
#include "lab/judge/judge.hpp"
#include "lab/run/bench/as_timed.hpp"
#include "lab/run/bench/buffers.hpp"
#include "lab/run/bench/contender.hpp"
#include "lab/run/bench/emit.hpp"

namespace aisp::lab {

// Samples walk through all sets. The check behind them looks at the first two, at the last and at
// one in between: a rung may be right on the buffers that it met first and on no others.
std::vector<int> sets_to_check(int sets, std::uint64_t seed);

class Checks {
 public:
  Checks(Device& device, const Target& target, const Problem& problem, Buffers& buffers,
         AsTimed& as_timed, const Job& job, const Emit& emit)
      : device_(device),
        target_(target),
        problem_(problem),
        buffers_(buffers),
        as_timed_(as_timed),
        job_(job),
        emit_(emit) {}

  // Draws inputs, the same for every set that is looked at, and computes what they give.
  void begin(CheckTime when, std::uint64_t seed);

  // "" or what is wrong. Records each check.
  std::string check(Contender& contender);

 private:
  bool behind_timing() const { return when_ == CheckTime::after; }
  std::string check(Contender& contender, int set);
  void run(const Contender& contender, int set);
  void compare_with_baseline(Contender& contender, int set, Judgement& judgement);
  void upload();

  Device& device_;
  const Target& target_;
  const Problem& problem_;
  Buffers& buffers_;
  AsTimed& as_timed_;
  const Job& job_;
  const Emit& emit_;
  CheckTime when_ = CheckTime::before;
  std::uint64_t seed_ = 0;
  std::vector<int> sets_;
  Inputs inputs_;
  std::vector<std::vector<double>> expected_;
  std::vector<HostTensor> baseline_outputs_;  // of the same inputs; empty: nothing to compare with
};

}  // namespace aisp::lab
