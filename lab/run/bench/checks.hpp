// Right or wrong: a rung's outputs against the reference, on poisoned buffers. Before timing on the
// first set of buffers by the rung's own launches; behind it on several sets, by timed runs like
// the samples.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/case/case.hpp"
#include "lab/judge/judge.hpp"
#include "lab/run/bench/buffers.hpp"
#include "lab/run/bench/changed_element.hpp"
#include "lab/run/bench/contender.hpp"
#include "lab/run/bench/emit.hpp"
#include "lab/run/bench/sampler.hpp"

namespace aisp::lab {

// What decides which set of buffers and which element of its inputs the check behind timing puts to
// the test: another number in every attempt, not the run's seed, or with the default seed the same
// set would be drawn for ever. AISP_CHECK_SEED fixes it.
std::uint64_t check_seed();

// Samples walk through all sets. The check behind them looks at the first, at the last and at
// `drawn`: a rung may be right on the buffers that it met first and on no others.
std::vector<int> sets_to_check(int sets, int drawn);

class Checks {
 public:
  // `random`: check_seed().
  Checks(Device& device, const Target& target, const Problem& problem, Buffers& buffers,
         Sampler& sampler, const Job& job, const Emit& emit, std::uint64_t random);

  // Draws the inputs of the check before timing and computes what they give.
  void begin_before(std::uint64_t seed);

  // Draws those of the check behind it and uploads them to one set of buffers, for the samples to
  // meet them there. When they have been taken, one element changes.
  void plant(std::uint64_t seed);
  void begin_after();

  // "" or what is wrong. Records each check.
  std::string check(Contender& contender);

  int drawn_set() const { return drawn_set_; }

 private:
  bool behind_timing() const { return when_ == CheckTime::after; }
  std::string check(Contender& contender, int set);
  void run_as_sample(Contender& contender, int set, const std::function<void()>& audit);
  // "" or what own_outputs did that only a run may do.
  std::string produced_by_collecting(const Contender& contender, int set);
  std::string unwritten_outputs() const;
  void compare_with_baseline(Contender& contender, int set, Judgement& judgement);
  void compute_reference();
  void upload();

  Device& device_;
  const Target& target_;
  const Problem& problem_;
  Buffers& buffers_;
  Sampler& sampler_;
  const Job& job_;
  const Emit& emit_;
  std::uint64_t random_;
  int drawn_set_;
  CheckTime when_ = CheckTime::before;
  std::uint64_t seed_ = 0;
  std::vector<int> sets_;
  Inputs inputs_;
  std::optional<ChangedElement> changed_;  // of inputs_, behind timing
  std::unique_ptr<Buffer> changed_bytes_;  // its new bytes, on the device
  std::vector<std::vector<double>> expected_;
  std::vector<HostTensor> baseline_outputs_;  // of the same inputs; empty: nothing to compare with
};

}  // namespace aisp::lab
