// What tuning a program is asked for, and what came of it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "jit/kept_choices.hpp"
#include "jit/run/guard.hpp"
#include "jit/run/timer.hpp"

namespace aisp::jit {

struct TuneOptions {
  double seconds = 30;  // for all of it; what was not tried goes on at the next time
};

struct TuneResult {
  struct Attempt {
    std::map<std::string, std::int64_t> choices;  // empty: the rule's
    double median = 0;                            // seconds
    std::string refused{};                        // why it was not timed
  };
  std::vector<Attempt> attempts;                // of this time
  std::map<std::string, std::int64_t> choices;  // what calls take from now on
  int tried = 0, of = 0;                        // candidates, with those of earlier times
  std::filesystem::path file;                   // where it is kept
};

struct ProgramState;

// Of Program::tune, for a call of these facts that was prepared.
TuneResult tune(ProgramState& state, std::span<const Tensor> tensors, const CallFacts& facts,
                Timer& timer, const TuneOptions& options);

}  // namespace aisp::jit
